/** @jest-environment jsdom */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { NextIntlClientProvider } from 'next-intl'
import { CopyButton } from '@/components/ui/copy-button'
import { en } from '@/test/support/messages'
import { answerHtml } from './answer-html'
import { Markdown } from './markdown'

/** The content of the clipboard by type. */
let copied: Record<string, string> = {}

class FakeClipboardItem {
  constructor(readonly blobs: Record<string, Blob>) {}
}

beforeEach(() => {
  copied = {}
  Reflect.set(globalThis, 'ClipboardItem', FakeClipboardItem)
  const write = async ([item]: FakeClipboardItem[]) => {
    for (const [type, blob] of Object.entries(item?.blobs ?? {})) copied[type] = await readBlob(blob)
  }
  const writeText = async (text: string) => {
    copied = { 'text/plain': text }
  }
  Reflect.set(navigator, 'clipboard', { write: jest.fn(write), writeText: jest.fn(writeText) })
})
afterEach(cleanup)

/** jsdom's blobs have no text(). */
function readBlob(blob: Blob): Promise<string> {
  return new Promise(resolve => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.readAsText(blob)
  })
}

async function copy(text: string, isAnswer = true) {
  render(
    <NextIntlClientProvider locale="en" messages={en}>
      <article>
        {isAnswer && <Markdown text={text} streaming={false} />}
        <CopyButton text={text} label="Copy answer" readHtml={answerHtml} />
      </article>
    </NextIntlClientProvider>,
  )
  fireEvent.click(screen.getByRole('button', { name: 'Copy answer' }))
  await screen.findByRole('button', { name: 'Copied' })
  return copied
}

test.each([
  [
    '# Title\n\nIt **is** `so`, *or* ~~not~~.',
    '<h1>Title</h1><p>It <strong>is</strong> <code>so</code>, <em>or</em> <del>not</del>.</p>',
  ],
  ['- one\n- two\n\n3. three', '<ul><li>one</li><li>two</li></ul><ol start="3"><li>three</li></ol>'],
  ['- [x] done\n- [ ] open', '<ul><li>☑ done</li><li>☐ open</li></ul>'],
  ['```js\nlet a = 1\nlet b\n```', '<pre><code>let a = 1\nlet b</code></pre>'],
  [
    '| a | b |\n|---|--:|\n| 1 | 2 |',
    '<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>',
  ],
  [
    '> [here](https://example.org/x)',
    '<blockquote><p><a href="https://example.org/x">here</a></p></blockquote>',
  ],
  [
    'See ![a heron](https://example.org/heron.png) and ![](https://example.org/tern.png)',
    '<p>See <a href="https://example.org/heron.png">a heron</a> and <a href="https://example.org/tern.png">example.org</a></p>',
  ],
  ['<img src=x onerror=alert(1)>', '<p>&lt;img src=x onerror=alert(1)&gt;</p>'],
])('%j is copied as text and as HTML without classes or styles of the page', async (text, html) => {
  expect(await copy(text)).toEqual({ 'text/plain': text, 'text/html': html })
})

test('long code keeps every line break', async () => {
  const code = Array.from({ length: 95 }, (_, index) => `line ${index}`).join('\n')
  const { 'text/html': html } = await copy(`\`\`\`\n${code}\n\`\`\``)
  expect(html).toBe(`<pre><code>${code}</code></pre>`)
})

test('an answer that is not rendered is copied as text only', async () => {
  expect(await copy('words', false)).toEqual({ 'text/plain': 'words' })
})

test('a formula is copied as MathML without classes or styles', async () => {
  render(
    <NextIntlClientProvider locale="en" messages={en}>
      <article>
        <Markdown text="so $x^2$ is" streaming={false} />
        <i />
      </article>
    </NextIntlClientProvider>,
  )
  await waitFor(() => expect(document.querySelector('math')).not.toBeNull())
  const html = answerHtml(document.querySelector('i') ?? document.body)
  expect(html).toContain('<math')
  expect(html).not.toMatch(/class=|style=/)
})
