/** @jest-environment jsdom */
import 'fake-indexeddb/auto'
import { expect, test } from '@jest/globals'
import type { Conversation, Message } from '@/lib/local/domain/conversation'
import { conversationHtml, conversationMarkdown } from './save-conversation'

const WORDS = {
  locale: 'en',
  you: 'You',
  model: 'The model',
  picture: 'Picture',
  drawnPicture: 'Drawn',
  document: 'Document',
}
const EVIL = '</title><script>alert(1)</script><img src=x onerror=alert(2)>'
const CONVERSATION: Conversation = {
  id: 'c',
  created_at: '2026-11-22T10:00:00.000Z',
  title: EVIL,
  messages: [
    {
      role: 'user',
      id: 'q',
      content: `${EVIL}\n# not a heading of ours`,
      created_at: '2026-11-22T10:00:00.000Z',
    },
    {
      role: 'assistant',
      id: 'a',
      content: '**So** it is.',
      model: 'penny',
      receipt: { cost_usd: '0.0012', input_token_count: 1, output_token_count: 1, estimated: false },
      annotations: [
        { type: 'url_citation', url_citation: { url: 'https://a.example/x', title: 'A [b](javascript:c)' } },
      ],
    },
    {
      role: 'user',
      content: [{ type: 'image_url', image_url: { url: 'https://spy.example/p.png', created_at: '' } }],
    },
  ],
}

test('the saved page shows everything as text, and neither runs nor requests anything', async () => {
  const text = await conversationHtml(CONVERSATION, WORDS)
  const page = new DOMParser().parseFromString(text, 'text/html')
  expect(page.querySelectorAll('script, [onerror], [src^="http"], link, iframe')).toHaveLength(0)
  expect(page.title).toBe(EVIL.replace(/\s+/g, ' '))
  expect(page.querySelector('.said')?.textContent).toBe(CONVERSATION.messages[0]?.content)
  expect(page.querySelector('meta[http-equiv]')?.getAttribute('content')).toContain("default-src 'none'")
  expect([...page.querySelectorAll('h2')].map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/^You · /),
    'penny · $0.0012',
    'You',
  ])
  expect(page.body.textContent).toContain('[Picture]')
  expect(page.body.textContent).toContain('https://a.example/x')
})

test('no name of a model and no title of a source turns around the price or the address beside it', async () => {
  const answer: Message = {
    role: 'assistant',
    content: 'So.',
    model: 'penny\u202e\u2067',
    receipt: { cost_usd: '0.0012', input_token_count: 1, output_token_count: 1, estimated: false },
    annotations: [
      { type: 'url_citation', url_citation: { url: 'https://a.example/x', title: 'Bank\u202e' } },
      { type: 'url_citation', url_citation: { url: 'https://b.example/y' } },
    ],
  }
  const conversation = { ...CONVERSATION, messages: [answer] }
  const page = new DOMParser().parseFromString(await conversationHtml(conversation, WORDS), 'text/html')
  expect(page.querySelector('h2')?.textContent).toBe('penny · $0.0012')
  expect([...page.querySelectorAll('li')].map(({ innerHTML }) => innerHTML)).toEqual([
    '<bdi>Bank\u202e</bdi> https://a.example/x',
    'https://b.example/y',
  ])
  expect(conversationMarkdown(conversation, WORDS)).toContain('## penny · $0.0012\n')
})

test('the saved page shows an answer as it is rendered here', async () => {
  document.body.innerHTML =
    '<article data-message="a"><div data-answer><p class="x"><strong>So</strong> it is.<button>Copy</button></p></div></article>'
  expect(await conversationHtml(CONVERSATION, WORDS)).toContain(
    '<div><p dir="auto"><strong>So</strong> it is.</p></div>',
  )
  document.body.innerHTML = ''
})

test('in the saved page a wide formula scrolls, and not the page', async () => {
  const formula = '<math display="block"><mi>x</mi></math>'
  document.body.innerHTML = `<article data-message="a"><div data-answer><p>So ${formula}</p></div></article>`
  const text = await conversationHtml(CONVERSATION, WORDS)
  document.body.innerHTML = ''
  expect(text).toContain(`<p dir="auto">So <span class="wide">${formula}</span></p>`)
  expect(text).toContain('.wide{display:block;overflow-x:auto}')
})

test('in the saved page each part goes the way of its words, and code from the left', async () => {
  document.body.innerHTML =
    '<article data-message="a"><div data-answer><p>مرحبا</p><ul><li>واحد<pre>let a</pre></li></ul></div></article>'
  const text = await conversationHtml(CONVERSATION, WORDS)
  document.body.innerHTML = ''
  const page = new DOMParser().parseFromString(text, 'text/html')
  const directions = [...page.querySelectorAll('[dir]')].map(
    part => `${part.localName} ${part.getAttribute('dir')}`,
  )
  expect(directions.slice(0, 5)).toEqual(['h1 auto', 'div auto', 'p auto', 'ul auto', 'pre ltr'])
})

test('the saved Markdown has each message as written, below its author', () => {
  const text = conversationMarkdown(CONVERSATION, WORDS)
  expect(text).toContain(
    '## penny · $0.0012\n\n**So** it is.\n\n- [A \\[b\\](javascript:c)](<https://a.example/x>)',
  )
  expect(text).toContain('*[Picture]*')
  expect(text.startsWith('# </title>')).toBe(true)
})

test('a picture that the model drew is not called an attached one', async () => {
  const url = 'data:image/png;base64,AAAA'
  const drawn: Conversation = {
    ...CONVERSATION,
    messages: [{ role: 'assistant', content: [{ type: 'image_url', image_url: { url, created_at: '' } }] }],
  }
  expect(conversationMarkdown(drawn, WORDS)).toContain('*[Drawn]*')
  const page = new DOMParser().parseFromString(await conversationHtml(drawn, WORDS), 'text/html')
  expect(page.querySelector('img')).toMatchObject({ alt: 'Drawn', src: url })
})

test('whoever answered and the price are named in the language of the page', () => {
  const words = { ...WORDS, locale: 'de', you: 'Du', model: 'Das Modell' }
  const unnamed: Conversation = { ...CONVERSATION, messages: [{ role: 'assistant', content: 'So.' }] }
  expect(conversationMarkdown(CONVERSATION, words)).toContain('## penny · 0,0012 $')
  expect(conversationMarkdown(unnamed, words)).toContain('## Das Modell')
})
