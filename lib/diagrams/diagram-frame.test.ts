import { createHash } from 'node:crypto'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  DIAGRAM_FRAME_HTML,
  DIAGRAM_POLICY,
  drawDiagrams,
  loadLibrary,
  readDiagramReply,
} from './diagram-frame'

const DRAWN = '<svg></svg>'
const drawn = { style: { maxWidth: '800px', minWidth: '' } }

function frame(render: (source: string) => Promise<{ svg: string }>) {
  const told: unknown[] = []
  const settings: Record<string, unknown>[] = []
  const parent = { postMessage: (reply: unknown) => void told.push(reply) }
  const probe = { style: { overflowX: '' }, offsetHeight: 15, remove: () => undefined }
  const body = { innerHTML: '', scrollHeight: 120, firstElementChild: drawn, append: () => undefined }
  const style = { colorScheme: '', overflow: '' }
  const documentElement = { style, scrollWidth: 400, clientWidth: 400 }
  const listeners: Record<string, (event: never) => void> = {}
  drawDiagrams(
    {
      parent,
      document: { documentElement, body, createElement: () => probe },
      addEventListener: (type: string, listener: (event: never) => void) => {
        listeners[type] = listener
      },
    },
    { initialize: given => void settings.push(given), render: (_id, source) => render(source) },
  )
  const ask = async (source: unknown) => {
    listeners.message?.({ source, data: { source: 'graph TD; A-->B', isDark: true } } as never)
    await new Promise(resolve => setImmediate(resolve))
  }
  const turn = (height: number) => {
    body.scrollHeight = height
    listeners.resize?.({} as never)
  }
  return { ask, turn, parent, told, settings, body, style, documentElement }
}

test('the frame reports that it is ready, draws what its page sends, and reports its height', async () => {
  const { ask, parent, told, settings, body, style } = frame(async () => ({ svg: DRAWN }))
  await ask(parent)
  expect(told).toEqual([{ height: 0 }, { height: 120 }])
  expect(body.innerHTML).toBe(DRAWN)
  expect(settings).toMatchObject([{ securityLevel: 'strict', startOnLoad: false, theme: 'dark' }])
  expect(style.colorScheme).toBe('dark')
  // It shrinks as far as its text can be read, and scrolls from there.
  expect(drawn.style.minWidth).toBe('calc(800px * 0.75)')
})

test('the height is reported again when it may have changed, and never as 0, which means that the frame is ready', async () => {
  const { ask, turn, parent, told, style } = frame(async () => ({ svg: DRAWN }))
  await ask(parent)
  turn(240)
  turn(0)
  expect(told).toEqual([{ height: 0 }, { height: 120 }, { height: 240 }])
  expect(style.overflow).toBe('')
})

test('a diagram that is wider than its frame has room for the scroll bar below it', async () => {
  const { ask, turn, parent, told, documentElement } = frame(async () => ({ svg: DRAWN }))
  documentElement.scrollWidth = 600
  await ask(parent)
  // Turned, the phone is wide enough.
  documentElement.clientWidth = 600
  turn(180)
  expect(told).toEqual([{ height: 0 }, { height: 135 }, { height: 180 }])
})

test('an invalid diagram is reported, and messages of other senders are ignored', async () => {
  const { ask, parent, told, body } = frame(async () => {
    throw new Error('Parse error')
  })
  await ask({})
  expect(told).toEqual([{ height: 0 }])
  await ask(parent)
  expect(told).toEqual([{ height: 0 }, { height: null }])
  expect(body.innerHTML).toBe('')
})

test('the page accepts only a bounded height from a frame', () => {
  fc.assert(
    fc.property(fc.anything(), fc.anything(), (data, height) => {
      for (const reply of [readDiagramReply(data), readDiagramReply({ height })]) {
        if (typeof reply !== 'object' || reply === null) {
          expect(['ready', 'failed', 'lost', null]).toContain(reply)
          continue
        }
        expect(reply.height).toBeGreaterThan(0)
        expect(reply.height).toBeLessThanOrEqual(4_000)
      }
    }),
  )
})

test('the frame’s policy allows its script and nothing else', () => {
  expect(DIAGRAM_POLICY).toMatch(/^default-src 'none'; /)
  expect(DIAGRAM_POLICY).toMatch(/; sandbox allow-scripts$/)
})

test('the frame’s script is allowed by its text, since nothing is `self` to a frame without an origin in Safari', () => {
  const text = /<script>(.*)<\/script>/.exec(DIAGRAM_FRAME_HTML)?.[1] ?? ''
  const hash = createHash('sha256').update(text).digest('base64')
  expect(DIAGRAM_POLICY).toContain(`; script-src 'sha256-${hash}' 'strict-dynamic'; `)
})

test.each([
  ['#/_next/static/media/library.js', 'https://site.test/_next/static/media/library.js'],
  ['#//evil.test/library.js', 'https://site.test//evil.test/library.js'],
  ['#https://evil.test/library.js', 'https://site.test/ttps://evil.test/library.js'],
  ['#.evil.test/library.js', 'https://site.test/evil.test/library.js'],
  ['', 'https://site.test/'],
])('with %j behind its address, the frame loads %s, and then no other script', (hash, address) => {
  const done: unknown[] = []
  const elements: { src?: string; onload?: () => void; onerror?: () => void; content?: string }[] = []
  loadLibrary(
    {
      parent: { postMessage: reply => void done.push(reply) },
      location: { origin: 'https://site.test', hash },
      document: {
        createElement: () => {
          const element = {}
          elements.push(element)
          return element as never
        },
        head: {
          append: element => void done.push(Reflect.get(element, 'content') ?? Reflect.get(element, 'src')),
        },
      },
    },
    () => done.push('loaded'),
  )
  expect(done).toEqual([address])
  elements[0]?.onload?.()
  expect(done).toEqual([address, "script-src 'none'", 'loaded'])
  elements[0]?.onerror?.()
  expect(done.at(-1)).toEqual({ height: 'lost' })
})
