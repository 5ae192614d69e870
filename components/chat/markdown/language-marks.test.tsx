/** @jest-environment jsdom */
import { afterEach, expect, test } from '@jest/globals'
import { cleanup, screen } from '@testing-library/react'
import { renderInEnglish } from '@/test/support/render'
import { UserText } from '../user-text'
import { Markdown } from './markdown'

afterEach(cleanup)

const languageAt = (element: Element | null) => element?.closest('[lang]')?.getAttribute('lang')

test('words in another language than that of the page are marked as such, for voices, and our own are not', () => {
  renderInEnglish(
    <>
      <UserText text="Wie schreibt man das in der Sprache?" />
      <Markdown text={'Das ist ein Beispiel, wie es geht:\n\n```ts\nlet x\n```'} streaming={false} />
    </>,
  )
  expect(languageAt(screen.getByText(/Wie schreibt/))).toBe('de')
  expect(languageAt(screen.getByText(/Beispiel/))).toBe('de')
  expect(languageAt(screen.getByText('ts'))).toBe('en')
})

test('the language of an answer is known as soon as there are words to tell it by', () => {
  renderInEnglish(
    <>
      <Markdown text="Das Beispiel" streaming={true} />
      <Markdown text="Das ist ein zweites" streaming={true} />
    </>,
  )
  expect(languageAt(screen.getByText(/Beispiel/))).toBeUndefined()
  expect(languageAt(screen.getByText(/zweites/))).toBe('de')
})
