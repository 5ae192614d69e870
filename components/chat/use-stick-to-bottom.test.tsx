/** @jest-environment jsdom */
import { expect, jest, test } from '@jest/globals'
import { act, render, waitFor } from '@testing-library/react'
import { useRef } from 'react'
import { keepAllReadingPlaces, keepReadingPlace, readingPlaceOf } from './reading-places'
import { useStickToBottom } from './use-stick-to-bottom'

let announceSize = () => {}

class ResizeObserverStub implements ResizeObserver {
  constructor(callback: ResizeObserverCallback) {
    announceSize = () => callback([], this)
  }
  observe() {}
  unobserve() {}
  disconnect() {}
}

function Scroller({ question = 'question', isSending = false, isRead = false, hasEnd = true }) {
  const scroller = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const { isAtBottom } = useStickToBottom(scroller, content, question, isSending, {
    conversationId: 'c',
    place: null,
    hasEnd,
    isLeft: false,
  })
  return (
    <div ref={scroller} data-testid="scroller">
      <div ref={content} data-testid="content">
        {isAtBottom ? 'at the end' : 'further up'}
        <button type="button" data-opens-to-read>
          <span data-testid="open" />
        </button>
        <div data-turns="0" data-testid="group">
          <p data-testid="text" />
        </div>
        {isRead && (
          <div data-turns="0">
            <article data-message="question" />
            <div data-stays-in-view data-testid="read">
              <article data-message="side by side" />
            </div>
          </div>
        )}
        {/* A deleted group stays mounted for a moment. */}
        {isRead && <div inert />}
      </div>
    </div>
  )
}

/** A scroller of 100 pixels with the given content height, which clamps its position as browsers do. */
function renderScroller() {
  let contentHeight = 500
  let top = 0
  globalThis.ResizeObserver = ResizeObserverStub
  const { getByTestId, rerender, unmount } = render(<Scroller />)
  const scroller = getByTestId('scroller')
  Object.defineProperties(scroller, {
    clientHeight: { get: () => 100 },
    scrollHeight: { get: () => contentHeight },
    scrollTop: { get: () => top, set: value => (top = Math.min(value, contentHeight - 100)) },
  })
  act(() => announceSize())
  return {
    scroller,
    rerender,
    unmount,
    getByTestId,
    grow: (pixels: number) => {
      contentHeight += pixels
    },
    scroll: (to = top) =>
      act(() => {
        scroller.scrollTop = to
        scroller.dispatchEvent(new Event('scroll'))
      }),
  }
}

test('content that grows before its size is reported is followed to the end', () => {
  const { scroller, grow, scroll } = renderScroller()
  grow(300)
  scroll()
  act(() => announceSize())
  expect(scroller.scrollTop).toBe(700)
  expect(scroller.textContent).toBe('at the end')
})

test.each([
  [
    'content that was lower for a moment before it grew is followed to the end',
    false,
    370,
    700,
    'at the end',
  ],
  ['a reader who scrolls up just when the content grows stays there', true, 370, 370, 'further up'],
  [
    'a reader who jumps further up without a wheel, as by a search, stays there',
    false,
    250,
    250,
    'further up',
  ],
])('%s', (_, isMoved, to, top, shown) => {
  const { scroller, grow, scroll } = renderScroller()
  if (isMoved) scroller.dispatchEvent(new WheelEvent('wheel'))
  grow(300)
  scroll(to)
  act(() => announceSize())
  expect(scroller.scrollTop).toBe(top)
  expect(scroller.textContent).toBe(shown)
})

test('content that is read from its start is shown from there, whatever the offset of the list', () => {
  const { scroller, grow, rerender, getByTestId } = renderScroller()
  rerender(<Scroller isRead />)
  Object.defineProperty(getByTestId('content'), 'offsetTop', { value: -32 })
  Object.defineProperty(getByTestId('read'), 'offsetTop', { value: 532 })
  grow(500)
  act(() => announceSize())
  expect(scroller.scrollTop).toBe(500)
})

test('a reader at the start of the content stays there when one long answer remains', () => {
  const { scroller, grow, rerender, getByTestId } = renderScroller()
  rerender(<Scroller isRead />)
  Object.defineProperty(getByTestId('read'), 'offsetTop', { value: 500 })
  grow(500)
  act(() => announceSize())
  rerender(<Scroller />)
  act(() => announceSize())
  expect(scroller.scrollTop).toBe(500)
  expect(scroller.textContent).toBe('further up')
})

test.each([
  ['at its start returns to its start', 500, null],
  ['at its end returns to its end', 900, 'question'],
])('a reader who leaves content that is read from its start %s', (_, top, messageId) => {
  const { grow, rerender, getByTestId, scroll, unmount } = renderScroller()
  rerender(<Scroller isRead />)
  Object.defineProperty(getByTestId('read'), 'offsetTop', { value: 500 })
  grow(500)
  act(() => announceSize())
  scroll(top)
  unmount()
  expect(readingPlaceOf('c')?.messageId ?? null).toBe(messageId)
  keepReadingPlace('c', null)
})

test('the reading place is stored before the page is left, and survives the removal of the list', () => {
  const { scroller, rerender, scroll, unmount } = renderScroller()
  rerender(<Scroller isRead />)
  scroll(200)
  keepAllReadingPlaces()
  scroller.parentElement?.remove()
  scroll(400)
  unmount()
  expect(readingPlaceOf('c')?.messageId).toBe('question')
  keepReadingPlace('c', null)
})

test('a reader who has scrolled up stays there', () => {
  const { scroller, grow, scroll } = renderScroller()
  scroll(200)
  grow(300)
  act(() => announceSize())
  expect(scroller.scrollTop).toBe(200)
  expect(scroller.textContent).toBe('further up')
})

test.each([
  ['is kept in place', '', 500],
  ['is left to a browser that keeps it in place', 'auto', 200],
])('what is read while content above it grows %s', (_, overflowAnchor, top) => {
  const style = jest.spyOn(window, 'getComputedStyle')
  style.mockImplementation(() => ({ overflowAnchor }) as CSSStyleDeclaration)
  const { scroller, grow, scroll, getByTestId } = renderScroller()
  const text = getByTestId('text')
  let offset = 250
  scroller.getBoundingClientRect = () => new DOMRect(0, 0, 100, 100)
  text.getBoundingClientRect = () => new DOMRect(0, offset - scroller.scrollTop, 100, 50)
  getByTestId('group').getBoundingClientRect = () => text.getBoundingClientRect()
  scroll(200)
  grow(300)
  offset += 300
  act(() => announceSize())
  expect(scroller.scrollTop).toBe(top)
  scroll()
  expect(scroller.scrollTop).toBe(top)
  expect(scroller.textContent).toBe('further up')
  style.mockRestore()
})

test('a finger that drags slowly is not pulled back to the end by new lines, and is followed again once it lets go', () => {
  const { scroller, grow, scroll } = renderScroller()
  const touch = (type: string) => act(() => void scroller.dispatchEvent(new Event(type)))
  const write = () => {
    grow(30)
    act(() => announceSize())
  }
  touch('touchmove')
  write()
  expect(scroller.scrollTop).toBe(400)
  touch('touchend')
  write()
  expect(scroller.scrollTop).toBe(460)
  for (const to of [447, 434]) {
    touch('touchmove')
    scroll(to)
    write()
    expect(scroller.scrollTop).toBe(to)
  }
  touch('touchend')
  write()
  expect(scroller.scrollTop).toBe(434)
  expect(scroller.textContent).toBe('further up')
})

test('what was read before a jump does not move the place that it led to', () => {
  const { scroller, grow, scroll, getByTestId } = renderScroller()
  let offset = 380
  scroller.getBoundingClientRect = () => new DOMRect(0, 0, 100, 100)
  const text = getByTestId('text')
  text.getBoundingClientRect = () => new DOMRect(0, offset - scroller.scrollTop, 100, 50)
  getByTestId('group').getBoundingClientRect = () => text.getBoundingClientRect()
  scroll(350)
  grow(300)
  offset += 300
  scroll(100)
  expect(scroller.scrollTop).toBe(100)
})

test.each([
  ['with its control', () => new MouseEvent('click', { bubbles: true }), 'open'],
  ['by the browser’s search', () => new Event('beforematch', { bubbles: true }), 'text'],
])('what the reader opens %s grows below, and is not scrolled away', (_, event, target) => {
  const { scroller, grow, getByTestId } = renderScroller()
  getByTestId(target).dispatchEvent(event())
  grow(300)
  act(() => announceSize())
  expect(scroller.scrollTop).toBe(400)
  expect(scroller.textContent).toBe('further up')
})

test('a press on anything else does not keep the end from being followed', () => {
  const { scroller, grow, getByTestId } = renderScroller()
  getByTestId('text').click()
  grow(300)
  act(() => announceSize())
  expect(scroller.scrollTop).toBe(700)
})

test('an edited question counts as the end, even if there is nothing to scroll', async () => {
  const { scroller, grow, scroll, rerender } = renderScroller()
  scroll(200)
  grow(-400)
  rerender(<Scroller question="in other words" isSending />)
  await waitFor(() => expect(scroller.textContent).toBe('at the end'))
})

test('the end of a partly rendered conversation does not count as the end', () => {
  const { scroller, grow, scroll, rerender } = renderScroller()
  rerender(<Scroller hasEnd={false} />)
  scroll(200)
  scroll(400)
  grow(300)
  act(() => announceSize())
  expect(scroller.scrollTop).toBe(400)
  expect(scroller.textContent).toBe('further up')
})

test.each([
  ['showing another version of a question does not scroll', false, 400, 'further up'],
  ['sending a question scrolls to it', true, 700, 'at the end'],
])('%s', (_, isSending, top, said) => {
  const { scroller, grow, rerender } = renderScroller()
  grow(300)
  rerender(<Scroller question="another" isSending={isSending} />)
  act(() => announceSize())
  expect(scroller.scrollTop).toBe(top)
  expect(scroller.textContent).toBe(said)
})
