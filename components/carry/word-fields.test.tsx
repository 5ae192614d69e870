/** @jest-environment jsdom */
import { expect, jest, test } from '@jest/globals'
import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import { creditIdStore } from '@/lib/local/credit-id'
import { fakeServer, press, renderInEnglish } from '@/test/support/render'
import { RestoreForm } from './restore-form'

jest.unstable_mockModule('@scure/bip39', () => {
  throw new TypeError('Failed to fetch dynamically imported module')
})

const CREDIT_ID = '0b0e7c9e-5d3c-4a53-9d5c-2f1d5f3f6a01'

test('what is pasted into a field is not lost where the word lists cannot be loaded', async () => {
  fakeServer(() => ({ json: { credit_id: CREDIT_ID, amount_usd: 2 } }))
  renderInEnglish(<RestoreForm />)
  await press('Enter word by word')
  const field = (place: number) => screen.getByRole<HTMLInputElement>('combobox', { name: `Word ${place}` })
  const paste = (place: number, text: string) =>
    act(async () => fireEvent.paste(field(place), { clipboardData: { getData: () => text } }))

  await paste(2, 'ability able about')
  expect([1, 2, 3, 4, 5].map(place => field(place).value)).toEqual(['', 'ability', 'able', 'about', ''])

  await paste(5, CREDIT_ID)
  expect(field(5).value).toBe(CREDIT_ID)
  await press('Restore')
  await waitFor(() => expect(creditIdStore.getSnapshot()).toBe(CREDIT_ID))
})
