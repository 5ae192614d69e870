/** @jest-environment jsdom */
import { afterEach, expect, test } from '@jest/globals'
import { act, cleanup, fireEvent, screen } from '@testing-library/react'
import { useRef } from 'react'
import { renderInEnglish } from '@/test/support/render'
import { draftStore, EMPTY_DRAFT } from './draft-store'
import { QuoteSelection, quote } from './quote-selection'

afterEach(cleanup)

function List() {
  const rootRef = useRef<HTMLDivElement>(null)
  return (
    <div ref={rootRef}>
      <article data-message="a">
        <p>First line</p>
      </article>
      <article data-message="b">
        <p>Second line</p>
      </article>
      <QuoteSelection rootRef={rootRef} conversationId="c" />
    </div>
  )
}

function select(from: Element, to: Element) {
  const range = document.createRange()
  range.setStart(from, 0)
  range.setEnd(to, 1)
  // jsdom has no layout.
  range.getBoundingClientRect = () => new DOMRect(10, 20, 30, 40)
  act(() => {
    document.getSelection()?.removeAllRanges()
    document.getSelection()?.addRange(range)
  })
  fireEvent.pointerUp(document)
  // Browsers report the selection after the button is released.
  fireEvent(document, new Event('selectionchange'))
}

test('text selected within one message can be quoted below the draft', () => {
  globalThis.DOMRect ??= class {} as typeof DOMRect
  draftStore.set('c', { ...EMPTY_DRAFT, text: 'About this:' })
  renderInEnglish(<List />)
  const [first, second] = [screen.getByText('First line'), screen.getByText('Second line')]
  select(first, second)
  expect(screen.queryByRole('button', { name: 'Quote' })).toBeNull()
  select(second, second)
  fireEvent.click(screen.getByRole('button', { name: 'Quote' }))
  expect(draftStore.get('c').text).toBe('About this:\n\n> Second line\n\n')
  expect(screen.queryByRole('button', { name: 'Quote' })).toBeNull()
})

test('a long quotation is not cut in the middle of a character', () => {
  draftStore.set('c', EMPTY_DRAFT)
  quote('c', `${'a'.repeat(3_999)}😀 and more`)
  expect(draftStore.get('c').text).toBe(`> ${'a'.repeat(3_999)}\n\n`)
})
