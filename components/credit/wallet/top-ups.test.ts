/** @jest-environment jsdom */
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { creditIdFirstSegment, creditIdStore } from '@/lib/local/credit-id'
import type { WalletQuestion, WalletReply } from '@/lib/payments/client/wallet-frame'
import type { WalletRules } from '@/lib/payments/domain/wallet-rules'
import { NO_TOP_UPS, type WalletTopUps } from '@/lib/payments/domain/wallet-top-ups'
import { type FakeCall, fakeServer, stubLocks } from '@/test/support/render'
import type { TopUpReport } from './top-ups'

const walletRequests: WalletQuestion[] = []
let replyWith: () => WalletReply | Promise<WalletReply>
let isUnlocked: boolean
/** Replaces the wallet, whose frame and encryption jsdom lacks. */
jest.unstable_mockModule('./wallet', () => ({
  isWalletUnlocked: () => isUnlocked,
  askOwnWallet: async (question: WalletQuestion) => {
    walletRequests.push(question)
    return isUnlocked ? replyWith() : null
  },
}))
const { actOnTopUps, noteBalance, readTopUps, recordTopUpEvent } = await import('./top-ups')

/** "Please send $3 for a cup of coffee", from BOLT #11: 2,500 microbitcoin. */
const COFFEE =
  'lnbc2500u1pvjluezpp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypqdq5xysxxatsyp3k7enxv4jsxqzpuaztrnwngzn3kdzw5hydlzf03qdgm2hdq27cqv3agm2awhz5se903vruatfhq77w3ls4evs3ch9zw97j25emudupq63nyw24cg27h2rspfj9srp'
/** At this rate it is three dollars. */
const RATE = 1_200

let calls: FakeCall[]
let creditId: string
let balanceUsd: number
let rate: number
let status: string
/** The server knows the invoice as another credit's. */
let isForeign: boolean
let invoice: Record<string, unknown>
let reports: TopUpReport[]
const report = (each: TopUpReport) => void reports.push(each)

function rules(): WalletRules {
  return {
    belowCents: 100,
    addCents: 300,
    dayCents: 500,
    asksFirst: false,
    usdPerBitcoin: RATE,
    creditSegment: creditIdFirstSegment(creditId),
  }
}

beforeEach(async () => {
  localStorage.clear()
  walletRequests.length = 0
  isUnlocked = true
  reports = []
  replyWith = () => ({ kind: 'paid' })
  // A new credit, since balances are cached for four seconds.
  creditId = crypto.randomUUID()
  creditIdStore.write(creditId)
  balanceUsd = 0.5
  rate = RATE
  status = 'New'
  isForeign = false
  invoice = { amount_usd: 3, lightning_invoice: COFFEE, crypto_amount_due: 0.0025, expires_at: 9_000_000_000 }
  calls = fakeServer(({ path }) => {
    if (path.includes('/credit')) return { json: { credit_id: creditId, amount_usd: balanceUsd } }
    if (path === '/topup/payment-methods')
      return { json: { supported_methods: [{ method: 'btc-lightning', usd_per_bitcoin: rate }] } }
    if (path.startsWith('/topup/create')) return { json: { invoice_id: 'i', ...invoice } }
    if (isForeign) return { status: 404, json: { error: { code: 'not_found', message: 'No such invoice' } } }
    const creditedUsd = status === 'Settled' ? 3 : 0
    return { json: { invoice_id: 'i', ...invoice, status, credited_usd: creditedUsd } }
  })
  stubLocks()
  await recordTopUpEvent({ type: 'allowed', rules: rules() })
})

afterEach(() => {
  jest.restoreAllMocks()
})

/** Makes the balance fall, lets the warning pass, and takes the steps that are due. */
async function fall(): Promise<WalletTopUps> {
  await noteBalance(balanceUsd, report)
  await recordTopUpEvent({ type: 'confirmed' })
  await actOnTopUps(report)
  return readTopUps()
}
const paidCount = () => walletRequests.filter(({ kind }) => kind === 'pay').length
const orders = () => calls.filter(({ path }) => path.startsWith('/topup/create'))

describe('a top-up from the wallet', () => {
  test('is ordered and paid, and counts as credited only when the server says so', async () => {
    expect((await fall()).current).toMatchObject({ stage: 'paid', cents: 300 })
    expect(walletRequests).toEqual([{ kind: 'pay', lightningInvoice: COFFEE }])
    expect(orders()[0]).toMatchObject({
      path: '/topup/create/btc-lightning',
      body: { amount: 3, currency: 'USD' },
    })
    expect(reports).toEqual([])
    status = 'Settled'
    await actOnTopUps(report)
    expect(readTopUps()).toMatchObject({ current: null, past: [{ cents: 300 }] })
    expect(reports).toEqual([{ kind: 'credited', cents: 300, spentCents: 300, dayCents: 500 }])
  })

  test('is ordered and paid by one of several tabs', async () => {
    await Promise.all([fall(), fall()])
    expect(orders()).toHaveLength(1)
    expect(paidCount()).toBe(1)
  })

  test('is stored before the wallet is asked to pay', async () => {
    let stored = NO_TOP_UPS
    replyWith = () => {
      stored = readTopUps()
      return { kind: 'paid' }
    }
    await fall()
    expect(stored.current).toMatchObject({ stage: 'paying', invoiceId: 'i', lightningInvoice: COFFEE })
  })

  test('that was interrupted by a crash is looked up at the wallet and the server, and not paid twice', async () => {
    let crash: () => void = () => {}
    const crashed = new Promise<void>(resolve => {
      crash = resolve
    })
    replyWith = () => {
      crash()
      return new Promise(() => {})
    }
    void fall()
    await crashed
    // The browser has released what the tab held.
    stubLocks()
    replyWith = () => ({ kind: 'found', state: 'settled' })
    await actOnTopUps(report)
    expect(readTopUps().current?.stage).toBe('paid')
    expect(paidCount()).toBe(1)
    status = 'Settled'
    await actOnTopUps(report)
    expect(readTopUps().current).toBeNull()
  })

  test.each([
    [
      'another amount in the invoice than beside it',
      () => Object.assign(invoice, { crypto_amount_due: 0.002 }),
    ],
    ['another amount in dollars', () => Object.assign(invoice, { amount_usd: 2 })],
    ['more bitcoin than the dollars are worth', () => (rate = RATE * 1.1)],
    ['a bitcoin rate that makes the dollars expensive', () => (rate = RATE / 3)],
    ['no rate at all', () => (rate = Number.NaN)],
    ['no invoice', () => Object.assign(invoice, { lightning_invoice: 'lnbc1', crypto_amount_due: 0.0025 })],
  ])('is refused because of %s, and switched off', async (_what, lie) => {
    lie()
    expect(await fall()).toMatchObject({ current: null, isOff: true })
    expect(paidCount()).toBe(0)
    expect(reports).toMatchObject([{ kind: 'problem', isOff: true }])
  })

  test.each([
    ['INSUFFICIENT_BALANCE', null, 'insufficient_balance'],
    ['QUOTA_EXCEEDED', null, 'quota_exceeded'],
    ['UNAUTHORIZED', null, 'unauthorized'],
    ['PAYMENT_FAILED', 'unknown', 'payment_failed'],
    ['INTERNAL', 'unknown', 'wallet_error'],
    ['toString', 'unknown', 'wallet_error'],
  ])('that the wallet refuses with %s is left %s', async (code, stage, problem) => {
    replyWith = () => ({ kind: 'refused', code })
    const state = await fall()
    expect([state.current?.stage ?? null, state.problem]).toEqual([stage, problem])
    expect(reports[0]).toMatchObject({ kind: 'problem', problem })
  })

  test('stays within the daily limit, and reports reaching it once', async () => {
    await fall()
    status = 'Settled'
    balanceUsd = 3.5
    await actOnTopUps(report)
    await noteBalance(3.5, report)
    balanceUsd = 0.5
    expect((await fall()).problem).toBe('day_reached')
    await fall()
    expect(paidCount()).toBe(1)
    expect(reports.filter(each => each.kind === 'problem')).toHaveLength(1)
  })

  test.each<[string, WalletReply, WalletReply, object]>([
    [
      'that was paid, is counted',
      { kind: 'paid' },
      { kind: 'paid' },
      { past: [{ cents: 300 }], problem: null },
    ],
    [
      'of which the wallet tells later that it was, is counted',
      { kind: 'silent' },
      { kind: 'found', state: 'settled' },
      { past: [{ cents: 300 }], problem: null },
    ],
    [
      'that never was, has failed once its invoice is too old',
      { kind: 'silent' },
      { kind: 'refused', code: 'NOT_FOUND' },
      { past: [], problem: 'payment_failed' },
    ],
  ])('for a credit that was exchanged meanwhile, and %s', async (_what, paying, looking, outcome) => {
    Object.assign(invoice, { expires_at: Date.now() / 1_000 + 600 })
    replyWith = () => paying
    expect((await fall()).current).not.toBeNull()
    creditIdStore.write(crypto.randomUUID())
    isForeign = true
    replyWith = () => looking
    await actOnTopUps(report)
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 3_600_000)
    await actOnTopUps(report)
    expect(readTopUps()).toMatchObject({ current: null, ...outcome })
    expect(paidCount()).toBe(1)
  })

  test('is not even ordered if money came in another way during the warning', async () => {
    await noteBalance(0.5, report)
    await recordTopUpEvent({ type: 'confirmed' })
    balanceUsd = 5
    await actOnTopUps(report)
    expect(readTopUps().current).toBeNull()
    expect(orders()).toHaveLength(0)
  })

  test('is not paid for a credit that was exchanged while the wallet was locked', async () => {
    await noteBalance(0.5, report)
    const { current: warned } = readTopUps()
    if (warned?.stage !== 'warned') throw new Error('Nothing was warned of.')
    const ordered = { invoiceId: 'i', paymentHash: 'h', lightningInvoice: COFFEE, expiresAtMs: 9e12 }
    await recordTopUpEvent({ type: 'ordered', warned, invoice: ordered })
    expect(readTopUps().current?.stage).toBe('invoiced')
    creditIdStore.write(crypto.randomUUID())
    await actOnTopUps(report)
    expect(readTopUps()).toMatchObject({ current: null, past: [] })
    expect(paidCount()).toBe(0)
  })

  test('does not pay for another credit, on an outdated balance, or with a locked wallet', async () => {
    await noteBalance(0.5, report)
    const mine = creditId
    creditId = crypto.randomUUID()
    creditIdStore.write(creditId)
    await recordTopUpEvent({ type: 'confirmed' })
    await actOnTopUps(report)
    expect(readTopUps().current).toBeNull()

    creditId = mine
    creditIdStore.write(mine)
    await recordTopUpEvent({ type: 'allowed', rules: rules() })
    balanceUsd = 2
    await noteBalance(0.5, report)
    expect(readTopUps().current).toBeNull()

    balanceUsd = 0.5
    isUnlocked = false
    expect((await fall()).current?.stage).toBe('warned')
    expect(orders()).toHaveLength(0)
  })
})
