/** @jest-environment jsdom */
import { afterEach, describe, expect, jest, test } from '@jest/globals'
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import fc from 'fast-check'
import { NextIntlClientProvider } from 'next-intl'
import { createFrameScheduler } from '@/lib/exchange/client/show-pace'
import { Markdown } from './markdown'

const MESSAGES = {
  chat: {
    code: 'Code',
    copyCode: 'Copy code',
    loadImage: 'Load image',
    reading: {
      wrapCode: 'Wrap lines',
      saveCode: 'Save as {name}',
      wideTable: 'Wide table, scrolls sideways',
      wideCode: 'Wide code, scrolls sideways',
    },
  },
  common: { copied: 'Copied', copyFailed: 'Could not copy' },
}

const HOSTILE = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  'text <svg/onload=alert(1)> more',
  '<iframe src="https://evil.example"></iframe>',
  '<div onclick="alert(1)" style="background:url(https://evil.example/x)">a</div>',
  '<a href="javascript:alert(1)">click</a>',
  '<base href="https://evil.example/">',
  '<meta http-equiv="refresh" content="0;url=https://evil.example">',
  '<link rel="stylesheet" href="https://evil.example/x.css">',
  '<form action="https://evil.example"><input name=a></form>',
  '<!-- --><script>alert(1)</script>',
  '<![CDATA[<script>alert(1)</script>]]>',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '[a](javascript:alert(1))',
  '[a](JAVASCRIPT&colon;alert(1))',
  '[a](&#106;avascript:alert(1))',
  '[a](vbscript:x)',
  '[a](data:text/html;base64,PHNjcmlwdD4=)',
  '[a](<javascript:alert(1)>)',
  '[a][x]\n\n[x]: javascript:alert(1)',
  '<javascript:alert(1)>',
  '![a](https://evil.example/pixel.png?q=secret)',
  '![a](//evil.example/pixel.png)',
  '![a](data:image/svg+xml;base64,PHN2Zz4=)',
  '![a](javascript:alert(1))',
  '![a][y]\n\n[y]: https://evil.example/y.png "t"',
  '[![a](https://evil.example/in.png)](https://evil.example)',
  '| a |\n|---|\n| <img src=https://evil.example/t.png> ![b](https://evil.example/b.png) |',
  '- [ ] <script>alert(1)</script>\n- [x] ![c](https://evil.example/c.png)',
  '```html\n<script>alert(1)</script>\n<img src=https://evil.example/d.png>\n```',
  '```"><script>alert(1)</script>\ncode\n```',
  '`<img src=x onerror=alert(1)>`',
  '> > <video src=https://evil.example/v.mp4 autoplay>',
  '[a](https://evil.example "onmouseover=alert(1)")',
  '**<style>@import url(https://evil.example/x.css)</style>**',
  '$5 and $10, $$x$$ \\(a\\)',
  '\u0000\u202e[a](https://evil.example)',
]

function Shown({ text, streaming }: { text: string; streaming: boolean }) {
  return (
    <NextIntlClientProvider locale="en" messages={MESSAGES}>
      <Markdown text={text} streaming={streaming} />
    </NextIntlClientProvider>
  )
}

function show(text: string, streaming = false) {
  return render(<Shown text={text} streaming={streaming} />)
}

/** Everything in the page that could run, load or navigate without a click. */
function findDangers(container: Element): string[] {
  const dangers: string[] = []
  for (const element of container.querySelectorAll('*')) {
    const name = element.localName
    if (
      /^(script|iframe|object|embed|base|meta|link|style|form|video|audio|source|foreignobject)$/.test(name)
    ) {
      dangers.push(name)
    }
    for (const { name: attribute, value } of element.attributes) {
      if (attribute.startsWith('on') || attribute === 'style' || attribute === 'srcset')
        dangers.push(attribute)
      if (attribute === 'src' && !value.startsWith('data:image/')) dangers.push(`src ${value}`)
      if (attribute === 'src' && value.startsWith('data:image/svg')) dangers.push(`src ${value}`)
      if (attribute === 'href' && !/^(https?:\/\/|mailto:)/.test(value)) dangers.push(`href ${value}`)
    }
  }
  return dangers
}

afterEach(cleanup)

// Must be the first test that loads the highlighter.
test('code that was printed before the highlighter had loaded is highlighted afterwards', async () => {
  show('```ts\nconst a = 1\n```')
  fireEvent(window, new Event('beforeprint'))
  await screen.findByText('const')
})

describe('a hostile answer', () => {
  test.each(HOSTILE)('%j neither runs nor loads anything, and its text stays visible', text => {
    for (const streaming of [true, false]) {
      const { container, unmount } = show(text, streaming)
      expect(findDangers(container)).toEqual([])
      expect(container.textContent).not.toBe('')
      unmount()
    }
  })

  test('stays harmless in any mixture, cut off anywhere', () => {
    const mixture = fc.array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string()), { maxLength: 6 })
    fc.assert(
      fc.property(mixture, fc.constantFrom('\n\n', '\n', ' ', ''), fc.nat(), (parts, glue, cut) => {
        const text = parts.join(glue)
        const { container, unmount } = show(text.slice(0, cut % (text.length + 1)), true)
        const dangers = findDangers(container)
        unmount()
        expect(dangers).toEqual([])
      }),
      { numRuns: 150 },
    )
  })

  test.each(['a[constructor] and &constructor;', '&toString; of &hasOwnProperty;', '[valueOf][constructor]'])(
    '%j, named after properties that every object has, is shown as written',
    text => {
      for (const streaming of [true, false]) {
        const { container, unmount } = show(text, streaming)
        expect(container.textContent).toBe(text)
        unmount()
      }
    },
  )

  test('a link definition may be named after a property that every object has', () => {
    show('Go [constructor].\n\n[constructor]: https://example.org/x')
    expect(screen.getByRole('link').getAttribute('href')).toBe('https://example.org/x')
  })

  test('a remote picture is only a link that names its host', () => {
    show('![a cat](https://pictures.example/cat.png?secret=1)')
    expect(screen.queryByRole('img')).toBeNull()
    expect(screen.getByText('pictures.example')).toBeDefined()
    const link = screen.getByRole('link', { name: 'Load image: a cat, pictures.example' })
    expect(link.getAttribute('href')).toBe('https://pictures.example/cat.png?secret=1')
    expect(link.getAttribute('rel')).toBe('noopener noreferrer nofollow')
    expect(link.getAttribute('target')).toBe('_blank')
  })

  test('a direction mark cannot reverse the host that a link or a picture shows', () => {
    const place = 'moc.knab.evil.example'
    const rightToLeft = '\u202e'
    const answer = `${rightToLeft}[a](https://${place}/) and ![${rightToLeft}b](https://${place}/b.png)`
    const { container } = render(<Shown text={answer} streaming={false} />)
    const places = [...container.querySelectorAll('bdi[dir=ltr]')].map(({ textContent }) => textContent)
    expect(places).toEqual([` (${place})`, place])
  })

  test('a link whose text names another host also shows the real one', () => {
    show('[https://bank.example](https://evil.example/login)')
    const link = screen.getByRole('link')
    expect(link.getAttribute('rel')).toBe('noopener noreferrer nofollow')
    expect(link.getAttribute('target')).toBe('_blank')
    expect(screen.getByText('(evil.example)')).toBeDefined()
  })

  test.each([
    `[![evil.example](data:image/png;base64,AAAA)](https://evil.example)`,
    `[$evil.example/?\\llap{bank.example}$](https://evil.example/?\\llap{bank.example})`,
  ])('the link %j, whose picture or formula may name another host, also shows the real one', async text => {
    await act(async () => show(text))
    expect(screen.getByText('(evil.example)')).toBeDefined()
  })

  test('of 100 kB is shown completely', () => {
    const { container } = show('<b>x</b> *a_ '.repeat(8_000))
    expect(container.textContent?.length).toBeGreaterThan(90_000)
    expect(findDangers(container)).toEqual([])
  })
})

/** All kinds of blocks, nested ones too; each address is defined before it is used. */
const ALL_BLOCKS = [
  '# One\n\n### Two\n\nA *b* **c `d`** ~~e~~ [f](https://example.org/g "h") &amp; \\* <b> i\nj  \nk',
  '[name]: https://example.org/a/path\n[other]: <https://example.com>\n\nSee [name] and [other][].\n\nAgain [name].',
  '- one\n- two\n\n  more\n  - [x] done\n  - [ ] open **now**\n\n3. three\n4. four\n   > quoted\n   > ```js\n   > let a\n   > ```',
  '| a | b |\n|---|--:|\n| 1 | *2*<br>3 |\n| 4 | `5` |\n\nafter\n\n***\n\n> said\n>\n> - twice',
  '```\nplain\n\n\ncode\n```\n\n![p](https://example.org/p.png) [![q](https://example.org/q.png)](https://example.org)\n\nEnd.',
]

describe('a growing answer', () => {
  test('renders the same as if it had arrived at once, wherever it was cut', () => {
    const texts = fc.shuffledSubarray(ALL_BLOCKS, { minLength: 1 }).map(parts => parts.join('\n\n'))
    fc.assert(
      fc.property(texts, fc.array(fc.nat({ max: 700 }), { maxLength: 20 }), (text, cuts) => {
        const atOnce = show(text)
        const expected = atOnce.container.innerHTML
        atOnce.unmount()
        const { container, rerender, unmount } = show('', true)
        for (const cut of cuts.sort((one, other) => one - other)) {
          rerender(<Shown text={text.slice(0, cut)} streaming />)
        }
        rerender(<Shown text={text} streaming={false} />)
        const shown = container.innerHTML
        unmount()
        expect(shown).toBe(expected)
      }),
      { numRuns: 60 },
    )
  })
})

describe('an ordinary answer', () => {
  test.each(['> שלום', '> - שלום', '> > # שלום', '- שלום\n\n- עולם'])(
    '%j takes its direction from its words',
    text => {
      const { container } = render(<Shown text={text} streaming={false} />)
      const block = container.querySelector('blockquote, ul')
      expect(block?.getAttribute('dir')).toBe('auto')
      expect([...(block?.querySelectorAll('[dir]') ?? [])].filter(one => one.textContent === 'שלום')).toEqual(
        [],
      )
    },
  )

  test.each(['> שלום\n>\n> Hello', '- שלום\n\n- Hello'])(
    'the second part of %j has its own direction',
    text => {
      const { container } = render(<Shown text={text} streaming={false} />)
      expect(screen.getByText('Hello').getAttribute('dir')).toBe('auto')
      expect(container.querySelector('p')?.hasAttribute('dir')).toBe(false)
    },
  )

  test('code among words from right to left keeps its own direction, and does not decide on theirs', () => {
    // What has a `dir` itself is left alone by that of the paragraph, and skipped by its `auto`.
    const { container } = render(<Shown text={'`open()` שלום `close()`'} streaming={false} />)
    const directions = [...container.querySelectorAll('p, code')].map(one => one.getAttribute('dir'))
    expect(directions).toEqual(['auto', 'auto', 'auto'])
  })

  test('a table begins on the side of its first words, and so do its numbers', () => {
    const { container } = render(<Shown text={'| | שם |\n|-|-|\n| 1 | a |'} streaming={false} />)
    // `dir="auto"` looks for letters everywhere but in what has a `dir` itself.
    const directions = [...container.querySelectorAll('div:has(> table), table, th, td')].map(one =>
      one.getAttribute('dir'),
    )
    expect(directions).toEqual(['auto', null, null, null, null, 'auto'])
  })

  test('amounts of money are not formulas', () => {
    show('It costs $5 and $10, not \\$15.')
    expect(screen.getByText('It costs $5 and $10, not $15.')).toBeDefined()
  })

  test('character references and escapes are decoded', () => {
    show('Tom &amp; Jerry &lt;3 \\*not emphasis\\* &copy;')
    expect(screen.getByText('Tom & Jerry <3 *not emphasis* ©')).toBeDefined()
  })

  test('keeps headings, numbered lists, tasks and tables, with headings below those of the page', () => {
    show('# Title\n\n3. three\n4. four\n\n- [x] done\n\n| a | b |\n|---|--:|\n| 1 | 2<br>3 |')
    expect(screen.getByRole('heading', { level: 3, name: 'Title' })).toBeDefined()
    expect(screen.getAllByRole('list')[0]?.getAttribute('start')).toBe('3')
    expect(screen.getByRole<HTMLInputElement>('checkbox').checked).toBe(true)
    expect(screen.getByRole('columnheader', { name: 'a' })).toBeDefined()
    expect(screen.getByRole('cell', { name: '1' })).toBeDefined()
  })

  test.each([
    ['table', '| a | b |\n|---|---|\n| 1 | 2 |', 'Wide table, scrolls sideways'],
    ['math', '$$\nx = 1\n$$', null],
    ['pre > *', '```\nx = 1\n```', 'Wide code, scrolls sideways'],
  ])('a wide <%s> alone is a stop for the keyboard', async (tag, text, name) => {
    let measure = () => {}
    Reflect.set(
      globalThis,
      'ResizeObserver',
      class {
        constructor(onResize: () => void) {
          measure = () => act(onResize)
        }
        observe = () => {}
        disconnect = () => {}
      },
    )
    try {
      const { container } = show(text)
      await waitFor(() => expect(container.querySelector(tag)).not.toBeNull())
      const scroller = container.querySelector(tag)?.parentElement
      const resize = (contentWidth: number) => {
        Object.defineProperty(scroller, 'scrollWidth', { configurable: true, value: contentWidth })
        measure()
      }
      Object.defineProperty(scroller, 'clientWidth', { value: 300 })
      resize(300)
      expect(scroller?.hasAttribute('tabindex')).toBe(false)
      resize(301)
      expect(scroller?.getAttribute('aria-label')).toBe(name)
      expect(scroller?.tabIndex).toBe(0)
      resize(200)
      expect(scroller?.hasAttribute('tabindex')).toBe(false)
    } finally {
      Reflect.deleteProperty(globalThis, 'ResizeObserver')
    }
  })

  test.each([
    ['## Two\n\n### Three\n\n## Two', [3, 4, 3]],
    ['# One\n\n### Three\n\n#### Four\n\n## Two', [3, 4, 5, 4]],
    ['#### Four\n\n# One\n\n## Two\n\n### Three\n\n#### Four\n\n##### Five', [3, 3, 4, 5, 6, 6]],
  ])('heading levels have no gaps: %j', (text, levels) => {
    const levelsOf = (container: HTMLElement) =>
      [...container.querySelectorAll('h1, h2, h3, h4, h5, h6')].map(({ tagName }) => Number(tagName[1]))
    const { container, rerender } = show(text.slice(0, 12), true)
    rerender(<Shown text={text} streaming />)
    expect(levelsOf(container)).toEqual(levels)
    expect(levelsOf(show(text).container)).toEqual(levels)
  })

  test('code is highlighted once it is finished, and copied as it was written', async () => {
    const text = '```ts\nconst a: string = "<b>"\n```'
    const { rerender, container } = show(text, true)
    expect(container.querySelector('code')?.textContent).toBe('const a: string = "<b>"')
    rerender(<Shown text={text} streaming={false} />)
    await screen.findByText('const')
    expect(container.querySelector('code')?.textContent).toBe('const a: string = "<b>"')
    expect(screen.getByRole('button', { name: 'Copy code' })).toBeDefined()
  })

  test('code is highlighted when it comes near the screen, or before printing', async () => {
    const near: ((entries: { target: Element; isIntersecting: boolean }[]) => void)[] = []
    const watched = new Set<Element>()
    class Observer {
      observe = (block: Element) => void watched.add(block)
      unobserve = (block: Element) => void watched.delete(block)
      constructor(onChange: (typeof near)[number]) {
        near.push(onChange)
      }
    }
    Reflect.set(globalThis, 'IntersectionObserver', Observer)
    try {
      show('```ts\nconst a = 1\n```\n\n```ts\nlet b = 2\n```')
      const [first] = watched
      if (!first) throw new Error('nothing is watched')
      near[0]?.([{ target: first, isIntersecting: false }])
      expect(screen.queryByText('const')).toBeNull()
      near[0]?.([{ target: first, isIntersecting: true }])
      await screen.findByText('const')
      expect(screen.queryByText('let')).toBeNull()
      fireEvent(window, new Event('beforeprint'))
      expect(screen.queryByText('let')).not.toBeNull()
      expect(watched.size).toBe(0)
    } finally {
      Reflect.deleteProperty(globalThis, 'IntersectionObserver')
    }
  })

  test('code is not highlighted while the page scrolls, but once it stands still', async () => {
    jest.useFakeTimers()
    try {
      createFrameScheduler()(() => 1_000)
      await jest.advanceTimersByTimeAsync(20)
      show('```ts\nconst a = 1\n```')
      await act(() => jest.advanceTimersByTimeAsync(400))
      expect(screen.queryByText('const')).toBeNull()
      await act(() => jest.advanceTimersByTimeAsync(2_000))
    } finally {
      jest.useRealTimers()
    }
    await screen.findByText('const')
  })

  test('code can be copied while it is still being written', async () => {
    const written: string[] = []
    Reflect.set(navigator, 'clipboard', { writeText: async (text: string) => void written.push(text) })
    const { rerender } = show('```ts\nconst a', true)
    for (const text of ['```ts\nconst a: number', '```ts\nconst a: number = 1\n```\n\nThat is it.\n']) {
      rerender(<Shown text={text} streaming />)
      fireEvent.click(screen.getByRole('button', { name: /Copy code|Copied/ }))
      await screen.findByText('Copied', { selector: 'button' })
    }
    expect(written).toEqual(['const a: number', 'const a: number = 1'])
  })

  test.each([
    ['```ts\nconst a = 1\n```', 'ts'],
    ['```\nnpm test\n```', 'Code'],
  ])('a screen reader hears a block of code by its language, without its buttons: %j', (text, name) => {
    show(text)
    expect(screen.getByRole('button', { name: 'Copy code' })).toBeTruthy()
    expect(screen.getByRole('figure', { name })).toBeTruthy()
  })

  test('formulas are rendered as MathML, and show their TeX until then', async () => {
    const { container } = show('The area is $a^2$:\n\n$$\n\\frac{1}{2}\n$$\n\n$\\oops$ cannot be read.')
    expect(container.textContent).toContain('$a^2$')
    await waitFor(() => expect(container.querySelector('math mfrac')).not.toBeNull())
    expect(container.querySelector('math msup')?.textContent).toBe('a2')
    expect(container.textContent).toContain('$\\oops$ cannot be read.')
  })

  test('a finished block keeps its element while the rest arrives', () => {
    const { rerender, container } = show('First paragraph.\n\nSecond paragraph.\n', true)
    const first = container.querySelector('p')
    rerender(<Shown text={'First paragraph.\n\nSecond paragraph.\n\nThird.'} streaming={true} />)
    expect(container.querySelectorAll('p')).toHaveLength(3)
    expect(container.querySelector('p')).toBe(first)
  })
})
