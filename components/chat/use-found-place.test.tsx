/** @jest-environment jsdom */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { act, cleanup, render, screen } from '@testing-library/react'
import { useRef } from 'react'
import { renderInEnglish } from '@/test/support/render'
import { openedSearchStore } from './select-conversation'
import { useFoundPlace } from './use-found-place'
import { UserText } from './user-text'

const scrolledTo: Element[] = []

beforeEach(() => {
  jest.useFakeTimers()
  scrolledTo.length = 0
  Element.prototype.scrollIntoView = function scrollIntoView() {
    scrolledTo.push(this)
  }
})
afterEach(() => {
  cleanup()
  jest.useRealTimers()
})

function List() {
  const contentRef = useRef<HTMLDivElement>(null)
  useFoundPlace(contentRef, 'c')
  return (
    <div ref={contentRef}>
      <article>
        <p>Tell me of the forest</p>
      </article>
      <article>
        <p>Much.</p>
        <ul>
          <li>
            The Black <b>For</b>êt
          </li>
        </ul>
      </article>
    </div>
  )
}

test('a search result opens at the place that was found, and marks it for a moment', () => {
  openedSearchStore.set({ conversationId: 'c', query: 'foret black' })
  render(<List />)
  const place = screen.getByRole('listitem')
  expect(scrolledTo).toEqual([place])
  expect(place.dataset.found).toBe('')
  act(() => {
    jest.advanceTimersByTime(10_000)
  })
  expect(place.dataset.found).toBeUndefined()
})

test('a result in the open conversation is scrolled to, one in another conversation is not', () => {
  render(<List />)
  act(() => openedSearchStore.set({ conversationId: 'other', query: 'forest' }))
  expect(scrolledTo).toEqual([])
  act(() => openedSearchStore.set({ conversationId: 'c', query: 'forest' }))
  expect(scrolledTo).toEqual([screen.getByText('Tell me of the forest')])
  act(() => openedSearchStore.set({ conversationId: 'c', query: 'nowhere to be found' }))
  expect(scrolledTo).toHaveLength(1)
})

const LONG_TEXT = [...Array.from({ length: 50 }, (_, index) => `Line ${index + 1}.`), 'A forest.'].join('\n')

function Folded() {
  const contentRef = useRef<HTMLDivElement>(null)
  useFoundPlace(contentRef, 'c')
  return (
    <div ref={contentRef}>
      <article>
        <UserText text={LONG_TEXT} />
      </article>
    </div>
  )
}

test('a place in a folded message is unfolded', () => {
  const onFound = jest.fn()
  const { container } = renderInEnglish(<Folded />)
  container.addEventListener('beforematch', onFound)
  const rest = screen.getByText(/forest/)
  expect(rest.hidden).toBe(true)
  act(() => openedSearchStore.set({ conversationId: 'c', query: 'forest' }))
  expect(rest.hidden).toBe(false)
  expect(scrolledTo).toEqual([rest])
  // The list, too, has to know, or it would go on to its end.
  expect(onFound).toHaveBeenCalledTimes(1)
})
