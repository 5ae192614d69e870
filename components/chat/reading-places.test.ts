/** @jest-environment jsdom */
import { afterEach, expect, jest, test } from '@jest/globals'
import fc from 'fast-check'
import { readPlace, showPlace } from './reading-places'

const EDGE = 50

afterEach(() => {
  jest.restoreAllMocks()
  document.body.replaceChildren()
})

/** A scroller with groups of three messages of the given heights. */
function scrollerOf(heights: readonly number[], firstIndex = 0) {
  const scroller = document.createElement('div')
  const groups: HTMLElement[] = []
  const tops = new Map<Element, number>()
  let top = 0
  for (const [index, height] of heights.entries()) {
    if (index < firstIndex) continue
    const message = document.createElement('article')
    message.dataset.message = `m${index}`
    if (index % 3 === 0 || !groups.at(-1)) {
      const group = document.createElement('div')
      group.dataset.turns = `${index}`
      groups.push(group)
    }
    groups.at(-1)?.append(message)
    tops.set(message, top)
    top += height
  }
  scroller.append(...groups)
  document.body.replaceChildren(scroller)
  const heightOf = (message?: HTMLElement) => heights[Number(message?.dataset.message?.slice(1))] ?? 0
  jest.spyOn(Element.prototype, 'getBoundingClientRect').mockImplementation(function box(this: Element) {
    const messages = this.matches('article') ? [this] : [...this.querySelectorAll('article')]
    const [first, last] = [messages[0], messages.at(-1)] as (HTMLElement | undefined)[]
    const start = first && this !== scroller ? EDGE - scroller.scrollTop + (tops.get(first) ?? 0) : EDGE
    const end = EDGE - scroller.scrollTop + ((last && tops.get(last)) ?? 0) + heightOf(last)
    return { top: start, bottom: end } as DOMRect
  })
  return scroller
}

test('a reading place is found again, whatever has changed above it', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 1, max: 900 }), fc.nat({ max: 900 })), { minLength: 1 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.nat(),
      (sizes, part, missing) => {
        const before = scrollerOf(sizes.map(([height]) => height))
        const length = sizes.reduce((sum, [height]) => sum + height, 0)
        before.scrollTop = Math.min(Math.floor(part * length), length - 1)
        const place = readPlace(before)
        if (!place) throw new Error('no place')
        const index = Number(place.messageId.slice(1))
        // The visible messages are unchanged; those above may have changed or not be rendered yet.
        const after = scrollerOf(
          sizes.map(([height, other], at) => (at < index ? other : height)),
          missing % (index + 1),
        )
        showPlace(after, place)
        expect(readPlace(after)).toEqual(place)
      },
    ),
  )
})

test('a reading place of a missing message does not scroll', () => {
  const scroller = scrollerOf([100, 100])
  scroller.scrollTop = 30
  showPlace(scroller, { messageId: 'gone', top: 0 })
  expect(scroller.scrollTop).toBe(30)
  expect(readPlace(scrollerOf([]))).toBeNull()
})
