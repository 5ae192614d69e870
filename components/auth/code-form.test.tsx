/** @jest-environment jsdom */
import { afterEach, expect, test } from '@jest/globals'
import { cleanup, fireEvent, screen } from '@testing-library/react'
import { press } from '@/test/support/render'
import { CodeForm } from './code-form'
import { ADA, renderFor } from './testing'

afterEach(cleanup)

test.each(['123 456', '123-456', ' 123456\n', 'Your code: 123456', '1234567'])(
  'the code in the pasted text %j is sent whole',
  async pasted => {
    const sent: string[] = []
    const verify = async (code: string) => {
      sent.push(code)
      return { data: {}, error: null }
    }
    renderFor(ADA, <CodeForm lengthMax={6} verify={verify} />)
    const field = screen.getByRole<HTMLInputElement>('textbox', { name: 'Code' })
    // A browser cuts what is pasted to the field's length, before the page sees it.
    const cut = field.maxLength > 0 ? pasted.slice(0, field.maxLength) : pasted
    fireEvent.change(field, { target: { value: cut } })
    await press('Confirm')
    expect(sent).toEqual(['123456'])
  },
)

test.each([
  ['refused', 'codeExpired', ''],
  ['not judged, because the service does not answer', 'unreachable', '123456'],
  ['not judged, because there were too many attempts', 'tooManyAttempts', '123456'],
])('a code that was %s: what the field contains afterwards', async (_, error, left) => {
  renderFor(ADA, <CodeForm lengthMax={6} verify={async () => ({ data: null, error })} />)
  const field = screen.getByRole<HTMLInputElement>('textbox', { name: 'Code' })
  fireEvent.change(field, { target: { value: '123456' } })
  await press('Confirm')
  expect(field.value).toBe(left)
  expect(document.activeElement).toBe(field)
})
