/** @jest-environment jsdom */
import { afterEach, expect, jest, test } from '@jest/globals'
import { act, cleanup, screen } from '@testing-library/react'
import { renderInEnglish } from '@/test/support/render'
import { Diagram } from './diagram'

const realMatchMedia = window.matchMedia

afterEach(() => {
  cleanup()
  jest.restoreAllMocks()
  window.matchMedia = realMatchMedia
})

test.each([
  ['dark', false, true],
  ['light', true, false],
  ['light dark', true, true],
  ['light dark', false, false],
  ['normal', true, false],
])(
  'on a page whose scheme is "%s", with a system that is dark: %s, it is drawn dark: %s',
  (scheme, isSystemDark, isDark) => {
    const style = window.getComputedStyle(document.documentElement)
    jest
      .spyOn(window, 'getComputedStyle')
      .mockReturnValue(new Proxy(style, { get: (_, name) => (name === 'colorScheme' ? scheme : undefined) }))
    window.matchMedia = query => Object.assign(new EventTarget(), matchOf(query, isSystemDark))
    renderInEnglish(<Diagram source="graph TD; A-->B" />)
    const { contentWindow: frame } = screen.getByTitle<HTMLIFrameElement>('Diagram')
    if (!frame) throw new Error('the frame has no window')
    const requests: unknown[] = []
    frame.postMessage = (request: unknown) => void requests.push(request)
    window.dispatchEvent(new MessageEvent('message', { source: frame, data: { height: 0 } }))
    expect(requests).toEqual([{ source: 'graph TD; A-->B', isDark }])
  },
)

test.each([
  ['the frame has lost its library', { height: 'lost' }, /could not be loaded. Check your network/],
  ['the source is wrong', { height: null }, /cannot be drawn/],
])('it says why nothing is drawn if %s', async (_why, data, sentence) => {
  renderInEnglish(<Diagram source="graph TD; A-->B" />)
  const { contentWindow } = screen.getByTitle<HTMLIFrameElement>('Diagram')
  act(() => void window.dispatchEvent(new MessageEvent('message', { source: contentWindow, data })))
  expect(await screen.findByText(sentence)).toBeDefined()
})

test('a frame that never loads is given up on', async () => {
  jest.useFakeTimers()
  renderInEnglish(<Diagram source="graph TD; A-->B" />)
  await act(async () => void jest.advanceTimersByTime(31_000))
  await act(async () => void jest.advanceTimersByTime(1_000))
  expect(screen.getByRole('status').textContent).toMatch(/could not be loaded/)
  jest.useRealTimers()
})

function matchOf(query: string, isSystemDark: boolean) {
  return {
    matches: query === '(prefers-color-scheme: dark)' && isSystemDark,
    media: query,
    onchange: null,
    addListener: () => {},
    removeListener: () => {},
  }
}
