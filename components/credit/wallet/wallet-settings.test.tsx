/** @jest-environment jsdom */
import { webcrypto } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import { creditIdStore } from '@/lib/local/credit-id'
import { NO_TOP_UPS, type WalletTopUps } from '@/lib/payments/domain/wallet-top-ups'
import { fakeServer, press, renderInEnglish, stubLocks } from '@/test/support/render'
import { readTopUps } from './top-ups'
import { WalletSettings } from './wallet-settings'

const RULES = {
  belowCents: 50,
  addCents: 100,
  dayCents: 500,
  asksFirst: false,
  usdPerBitcoin: 100_000,
  creditSegment: '0b0e7c9e',
}
const ORDERED = {
  cents: 100,
  atMs: 0,
  expiresAtMs: 0,
  invoiceId: 'i',
  paymentHash: 'h',
  lightningInvoice: 'l',
}

const METHODS = {
  json: {
    supported_methods: [
      { method: 'btc-lightning', usd_per_bitcoin: 85_000, limits: { USD: { min: 0.1, max: 1000 } } },
    ],
  },
}

beforeEach(() => {
  localStorage.clear()
  creditIdStore.write('0b0e7c9e-5d3c-4a53-9d5c-2f1d5f3f6a01')
  stubLocks()
  fakeServer(() => METHODS)
  // As over HTTPS; jsdom has none.
  Object.defineProperty(crypto, 'subtle', { configurable: true, value: webcrypto.subtle })
})
afterEach(cleanup)

async function show(state: Partial<WalletTopUps> = {}, isConnected = true) {
  if (isConnected) {
    const sealed = { lock: 'passphrase', salt: 'AA==', iterations: 1, iv: 'AA==', sealed: 'AA==' }
    localStorage.setItem('walletConnection', JSON.stringify(sealed))
  }
  localStorage.setItem('walletTopUps', JSON.stringify({ ...NO_TOP_UPS, ...state }))
  const section = (
    <section id="wallet">
      <WalletSettings />
    </section>
  )
  await act(async () => void renderInEnglish(section))
}
const type = (label: RegExp, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } })

test('allowed limits are stored with the current bitcoin rate and the credit', async () => {
  await show()
  type(/balance is below/, '0.25')
  type(/^Add/, '2')
  type(/At most/, '10')
  await press('Allow')
  await waitFor(() => expect(screen.getByText('Saved.')).toBeTruthy())
  expect(readTopUps().rules).toEqual({
    ...RULES,
    belowCents: 25,
    addCents: 200,
    dayCents: 1000,
    usdPerBitcoin: 85_000,
  })
  expect(screen.getByText(/Below 25 cents, \$2.00 is added, at most \$10.00 in 24 hours/)).toBeTruthy()
  await press('Turn off')
  expect(readTopUps().rules).toBeNull()
})

test.each([
  ['0.05', 'Enter an amount in dollars, such as 5 or 0.50.', /^Add/],
  [
    '0.40',
    'Each amount must be at least the one above it, and the last at most a hundred times the second.',
    'Allow',
  ],
])('adding %s is refused with an explanation in view, and nothing is allowed', async (add, words, field) => {
  await show()
  type(/^Add/, add)
  await press('Allow')
  expect(screen.getByText(words)).toBeTruthy()
  const focused =
    field instanceof RegExp ? screen.getByLabelText(field) : screen.getByRole('button', { name: field })
  await waitFor(() => expect(document.activeElement).toBe(focused))
  expect(readTopUps().rules).toBeNull()
})

test('limits are not allowed for a credit that could not be made, which is said', async () => {
  creditIdStore.remove()
  fakeServer(({ path }) =>
    path === '/accounts/create' ? { status: 429, json: { error: { code: 'rate_limited' } } } : METHODS,
  )
  await show()
  await press('Allow')
  expect(await screen.findByText(/^That was a lot at once/)).toBeTruthy()
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Allow' })))
  expect(readTopUps().rules).toBeNull()
})

test.each([
  ['nonsense', /^Connection from your wallet/],
  [
    `nostr+walletconnect://${'a'.repeat(64)}?relay=wss://relay.example&secret=${'b'.repeat(64)}`,
    /^Passphrase/,
  ],
])('a connection %s moves the focus to the field to correct', async (connection, field) => {
  await show({}, false)
  type(/^Connection from your wallet/, connection)
  type(/^Passphrase/, 'short')
  await press('Connect')
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText(field)))
})

test('a failure to load the payment methods can be retried without losing what was typed', async () => {
  let isDown = true
  fakeServer(() => (isDown ? { status: 502, json: { error: { code: 'payment_gateway_error' } } } : METHODS))
  await show({ rules: RULES })
  type(/^Add/, '2')
  expect(screen.getByText(/ways to pay could not be loaded/)).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Save' })).toBeNull()
  expect(screen.getByRole('button', { name: 'Turn off' })).toBeTruthy()
  const again = screen.getByRole('button', { name: 'Try again' })
  again.focus()
  isDown = false
  await press('Try again')
  const save = await screen.findByRole('button', { name: 'Save' })
  expect(document.activeElement).toBe(save)
  expect(screen.queryByText(/ways to pay could not be loaded/)).toBeNull()
  await press('Save')
  await waitFor(() => expect(readTopUps().rules).toMatchObject({ addCents: 200, usdPerBitcoin: 85_000 }))
})

test('while the wallet has not answered, the page says what it was asked for', async () => {
  await show({ rules: RULES, current: { ...ORDERED, stage: 'paying' } })
  expect(screen.getByText('Your wallet is being asked to pay $1.00.')).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Stop looking for it' })).toBeNull()
})

test('a payment with an unknown result can be given up, also without a wallet', async () => {
  await show({ current: { ...ORDERED, stage: 'unknown' } }, false)
  expect(screen.getByText(/asked to pay \$1.00, and it is not known whether it did/)).toBeTruthy()
  await press('Stop looking for it')
  expect(readTopUps()).toMatchObject({ current: null, past: [{ cents: 100 }] })
})

test('a top-up that was switched off says why, and one press switches it on again', async () => {
  await show({ rules: RULES, problem: 'unauthorized', isOff: true, failureCount: 1 })
  expect(screen.getByText(/does not let this connection pay.* Automatic top-up is now off/)).toBeTruthy()
  await press('Switch on again')
  expect(readTopUps()).toMatchObject({ isOff: false, isArmed: true, problem: null, rules: RULES })
})

test('limits that were allowed for another credit say that nothing is added, and can be saved for this one', async () => {
  creditIdStore.write('3f0c2f9e-5d3c-4a53-9d5c-2f1d5f3f6a01')
  await show({ rules: RULES })
  expect(screen.getByText(/allowed for another credit than the one in this browser/)).toBeTruthy()
  await press('Save')
  expect(readTopUps().rules).toMatchObject({ creditSegment: '3f0c2f9e' })
  expect(screen.queryByText(/allowed for another credit/)).toBeNull()
})

test('disconnecting removes the connection and the permission, but keeps a running payment', async () => {
  await show({ rules: RULES, current: { ...ORDERED, stage: 'paid' } })
  await press('Disconnect')
  expect(localStorage.getItem('walletConnection')).toBeNull()
  expect(readTopUps()).toMatchObject({ rules: null, current: { stage: 'paid' } })
})

test('over plain HTTP, where browsers encrypt nothing, no connection is asked for', async () => {
  Object.defineProperty(crypto, 'subtle', { configurable: true, value: undefined })
  await show({}, false)
  expect(screen.getByText(/open this page with https/)).toBeTruthy()
  expect(screen.queryByLabelText('Connection from your wallet')).toBeNull()
})
