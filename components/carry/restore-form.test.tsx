/** @jest-environment jsdom */
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import { fakeServer, renderInEnglish } from '@/components/account/testing'
import { creditIdStore } from '@/lib/local/credit-id'
import { creditIdToWords } from '@/lib/local/credit-words'
import { RestoreForm } from './restore-form'

const HELD = '0b0e7c9e-5d3c-4a53-9d5c-2f1d5f3f6a01'
const UNKNOWN = '11111111-2222-4333-8444-555555555555'
/** A new one for each test: balances are remembered for four seconds, for the whole page. */
let brought = ''
let held = ''
let heldUsd = 0
let calls: ReturnType<typeof fakeServer>

beforeEach(() => {
  localStorage.clear()
  brought = crypto.randomUUID()
  held = crypto.randomUUID()
  heldUsd = 3
  calls = fakeServer(({ path }) => {
    if (path === '/accounts/merge') {
      heldUsd = 0
      return { json: { moved_usd: 3, balance: 5 } }
    }
    const creditId = path.split('/')[4]
    if (creditId === UNKNOWN) return { status: 404, json: { error: 'Not Found' } }
    return {
      json: { credit_id: creditId, amount_usd: creditId === HELD ? 1 : creditId === held ? heldUsd : 2 },
    }
  })
})
afterEach(cleanup)

async function restore(text: string) {
  renderInEnglish(<RestoreForm />)
  fireEvent.change(screen.getByLabelText('12 words or credit key'), { target: { value: text } })
  await act(async () => fireEvent.click(screen.getByRole('button', { name: 'Restore' })))
}

test.each([
  ['what is no secret', 'one two three', /neither 12 words/],
  ['a credit that the server does not know', UNKNOWN, /No credit is known/],
])('%s changes nothing and is told', async (_what, text, message) => {
  await restore(text)
  expect(await screen.findByText(message)).toBeDefined()
  expect(creditIdStore.getSnapshot()).toBeNull()
})

test('twelve words of another language bring the credit into an empty browser', async () => {
  await restore(await creditIdToWords(brought, 'it'))
  await waitFor(() => expect(creditIdStore.getSnapshot()).toBe(brought))
  expect(screen.getByText('Credit restored.')).toBeDefined()
})

test('the credit that is here already is told so', async () => {
  creditIdStore.write(HELD)
  await restore(HELD.toUpperCase())
  expect(await screen.findByText('This credit is already in this browser.')).toBeDefined()
})

test('another credit stays until a copy of it was shown and its end was confirmed', async () => {
  creditIdStore.write(HELD)
  await restore(brought)
  expect(await screen.findByText(/already holds another credit/)).toBeDefined()
  const words = await creditIdToWords(HELD, 'en')
  const list = await screen.findByRole('list', { name: 'The 12 words, in order' })
  expect([...list.children].map(item => item.textContent).join(' ')).toBe(words)

  const replace = screen.getByRole('button', { name: 'Replace it' })
  fireEvent.click(replace)
  expect(creditIdStore.getSnapshot()).toBe(HELD)
  fireEvent.click(screen.getByRole('checkbox'))
  await act(async () => fireEvent.click(replace))
  expect(creditIdStore.getSnapshot()).toBe(brought)
})

test('the credit that is here can be kept', async () => {
  creditIdStore.write(HELD)
  await restore(brought)
  await act(async () =>
    fireEvent.click(await screen.findByRole('button', { name: 'Keep the one that is here' })),
  )
  expect(creditIdStore.getSnapshot()).toBe(HELD)
  expect(screen.getByLabelText('12 words or credit key')).toBeDefined()
})

test('the balance of the credit that is here can be taken along', async () => {
  creditIdStore.write(held)
  await restore(brought)
  await act(async () => fireEvent.click(await screen.findByRole('button', { name: 'Take $3.00 along' })))
  await waitFor(() => expect(creditIdStore.getSnapshot()).toBe(brought))
  expect(calls).toContainEqual({
    method: 'POST',
    path: '/accounts/merge',
    authorization: `Bearer ${brought}`,
    body: { from_credit_id: held },
  })
  expect(await screen.findByText('Credit restored.')).toBeDefined()
})

test('an empty credit is not offered to be taken along', async () => {
  heldUsd = 0
  creditIdStore.write(held)
  await restore(brought)
  expect(await screen.findByText(/the one that is here has \$0.00/)).toBeDefined()
  expect(screen.queryByRole('button', { name: /along/ })).toBeNull()
})
