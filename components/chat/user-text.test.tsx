/** @jest-environment jsdom */
import { afterEach, describe, expect, test } from '@jest/globals'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import fc from 'fast-check'
import { NextIntlClientProvider } from 'next-intl'
import { anyCharacter } from '@/test/support/any-character'
import { en } from '@/test/support/messages'
import { foldedEnd, UserText } from './user-text'

// jsdom does not scroll.
Element.prototype.scrollIntoView = () => {}
afterEach(cleanup)

const LONG = Array.from({ length: 50 }, (_, index) => `Line ${index + 1}.`).join('\n')

function show(text: string) {
  return render(
    <NextIntlClientProvider locale="en" messages={en}>
      <UserText text={text} />
    </NextIntlClientProvider>,
  )
}

describe('a message of a person', () => {
  test('of forty lines is shown whole', () => {
    show(LONG.split('\n').slice(0, 40).join('\n'))
    expect(screen.queryByRole('button')).toBeNull()
    expect(screen.getByText(/Line 40\.$/)).toBeTruthy()
  })

  test('that is longer is folded after twenty lines, and can be unfolded and folded again', () => {
    show(LONG)
    const rest = screen.getByText(/^Line 21\./)
    expect(screen.getByText(/Line 20\.$/).hidden).toBe(false)
    expect(rest.getAttribute('hidden')).toBe('until-found')
    fireEvent.click(screen.getByRole('button', { name: 'Show all', expanded: false }))
    expect(rest.hidden).toBe(false)
    fireEvent.click(screen.getByRole('button', { name: 'Show less', expanded: true }))
    expect(rest.getAttribute('hidden')).toBe('until-found')
  })

  test.each([
    ['lines', LONG],
    ['words', 'word '.repeat(1_000).trim()],
    ['neither', 'x'.repeat(4_000)],
  ])('is one paragraph with every character when it is unfolded, though it was cut between %s', (_, text) => {
    const { container } = show(text)
    fireEvent.click(screen.getByRole('button', { name: 'Show all' }))
    expect([...container.querySelectorAll('p')].map(one => one.textContent)).toEqual([text])
  })

  test('is unfolded by the browser’s search', () => {
    show(LONG)
    const rest = screen.getByText(/^Line 21\./)
    fireEvent(rest, new Event('beforematch'))
    expect(rest.hidden).toBe(false)
  })
})

describe('the place where a long text is cut', () => {
  test('is the end of a line, or of a word in a long line', () => {
    expect(LONG.slice(0, foldedEnd(LONG) ?? 0)).toMatch(/Line 20\.$/)
    const words = 'word '.repeat(1_000)
    expect(words.slice(0, foldedEnd(words) ?? 0)).toMatch(/ word$/)
  })

  test('is within what is shown, and in no character, whatever the text is', () => {
    const character = fc.oneof(anyCharacter, fc.constantFrom('\n', ' ', '😀'))
    const text = fc.string({ unit: character, minLength: 1, maxLength: 50 }).map(part => part.repeat(100))
    fc.assert(
      fc.property(text, long => {
        const end = foldedEnd(long)
        if (end === null) return expect(long.length).toBeLessThanOrEqual(3_000)
        expect(end).toBeLessThanOrEqual(1_500)
        expect(end).toBeGreaterThan(0)
        expect(long.slice(0, end).isWellFormed()).toBe(true)
        expect(long.slice(0, end).split('\n').length).toBeLessThanOrEqual(20)
      }),
    )
  })
})
