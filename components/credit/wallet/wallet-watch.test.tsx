/** @jest-environment jsdom */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { act, cleanup, waitFor } from '@testing-library/react'
import { creditIdFirstSegment, creditIdStore } from '@/lib/local/credit-id'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { NO_TOP_UPS } from '@/lib/payments/domain/wallet-top-ups'
import { type FakeCall, fakeServer, renderInEnglish, stubDialogs, stubLocks } from '@/test/support/render'

let path = '/'
let isUnlocked = true
jest.unstable_mockModule('@/lib/i18n/navigation', () => ({ usePathname: () => path }))
jest.unstable_mockModule('./wallet', () => ({
  useWallet: () => ({ lock: { kind: 'passkey' }, isUnlocked }),
  isWalletUnlocked: () => isUnlocked,
  askOwnWallet: async () => null,
  unlockWallet: async () => false,
}))
const { readTopUps, recordTopUpEvent } = await import('./top-ups')
const { WalletWatch } = await import('./wallet-watch')

let calls: FakeCall[]

beforeEach(() => {
  stubDialogs()
  path = '/'
  isUnlocked = true
  noticeStore.update({ hidden: true, text: '', action: undefined })
  localStorage.clear()
  // A new credit, since balances are cached for four seconds.
  const creditId = crypto.randomUUID()
  creditIdStore.write(creditId)
  const rules = {
    belowCents: 100,
    addCents: 200,
    dayCents: 500,
    asksFirst: false,
    usdPerBitcoin: 100_000,
    creditSegment: creditIdFirstSegment(creditId),
  }
  localStorage.setItem('walletTopUps', JSON.stringify({ ...NO_TOP_UPS, rules, isArmed: true }))
  calls = fakeServer(() => ({ json: { credit_id: creditId, amount_usd: 0.5 } }))
  Object.defineProperty(document, 'visibilityState', { configurable: true, value: 'visible' })
  stubLocks()
})
afterEach(cleanup)

test('a low balance is announced before a top-up, and “Not now” prevents the order', async () => {
  renderInEnglish(<WalletWatch />)
  await waitFor(() =>
    expect(noticeStore.getSnapshot().text).toBe('$2.00 will be added from your wallet in 10 seconds.'),
  )
  expect(readTopUps().current).toMatchObject({ stage: 'warned', cents: 200 })
  expect(noticeStore.getSnapshot().action?.label).toBe('Not now')
  await act(async () => noticeStore.getSnapshot().action?.run())
  expect(noticeStore.getSnapshot().hidden).toBe(true)
  expect(readTopUps()).toMatchObject({ current: null, isArmed: false })
  expect(calls.filter(({ method }) => method === 'POST')).toEqual([])
})

test('the announcement goes away with what it announces', async () => {
  renderInEnglish(<WalletWatch />)
  await waitFor(() => expect(noticeStore.getSnapshot().text).toMatch(/will be added/))
  await act(async () => recordTopUpEvent({ type: 'allowed', rules: null }))
  expect(noticeStore.getSnapshot().hidden).toBe(true)
})

test('what is said meanwhile stays', async () => {
  renderInEnglish(<WalletWatch />)
  await waitFor(() => expect(noticeStore.getSnapshot().text).toMatch(/will be added/))
  await act(async () => {
    noticeStore.show('success', 'Saved.')
    await recordTopUpEvent({ type: 'allowed', rules: null })
  })
  expect(noticeStore.getSnapshot()).toMatchObject({ text: 'Saved.', hidden: false })
})

test('a locked wallet offers to be unlocked, and starts no top-up', async () => {
  isUnlocked = false
  renderInEnglish(<WalletWatch />)
  await waitFor(() =>
    expect(noticeStore.getSnapshot()).toMatchObject({
      text: 'Your balance is low, and your wallet is locked.',
      action: { label: 'Unlock' },
    }),
  )
  expect(readTopUps().current).toBeNull()
  // What it says is no longer true once it is unlocked.
  await act(async () => noticeStore.getSnapshot().action?.run())
  expect(noticeStore.getSnapshot().hidden).toBe(true)
})

test('a locked wallet that may not fill this credit is not offered to be unlocked', async () => {
  isUnlocked = false
  creditIdStore.write(crypto.randomUUID())
  calls = fakeServer(({ path: asked }) => ({ json: { credit_id: asked.split('/')[4], amount_usd: 0.5 } }))
  renderInEnglish(<WalletWatch />)
  await waitFor(() => expect(calls.length).toBeGreaterThan(0))
  await act(async () => {})
  expect(noticeStore.getSnapshot().hidden).toBe(true)
})

test.each([
  ['on the top-up page', () => (path = '/top-up')],
  ['in a hidden tab', () => Reflect.defineProperty(document, 'visibilityState', { value: 'hidden' })],
])('no top-up starts %s', async (_where, arrange) => {
  arrange()
  renderInEnglish(<WalletWatch />)
  await waitFor(() => expect(calls.length).toBeGreaterThan(0))
  await act(async () => {})
  expect(readTopUps().current).toBeNull()
  expect(noticeStore.getSnapshot().hidden).toBe(true)
})
