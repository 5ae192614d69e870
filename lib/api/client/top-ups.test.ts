import { afterEach, expect, jest, test } from '@jest/globals'
import fc from 'fast-check'
import { getTopUp, listPaymentMethods, orderTopUp } from './top-ups'

const realFetch = globalThis.fetch
afterEach(() => {
  globalThis.fetch = realFetch
  jest.restoreAllMocks()
})

function answerWith(answer: unknown): void {
  globalThis.fetch = async () => Response.json(answer)
}

const CARD = { methodName: 'card', amountUsd: 5 } as const

test.each([null, 'x', {}, { supported_methods: null }])(
  'payment methods of the form %j are refused',
  async answer => {
    answerWith(answer)
    await expect(listPaymentMethods()).rejects.toMatchObject({ code: 'unknown' })
  },
)

test('payment methods keep the server’s order, without unknown ones', async () => {
  answerWith({ supported_methods: [{ method: 'card' }, { method: 'gold' }, { method: 'btc-lightning' }] })
  const methods = await listPaymentMethods()
  expect(methods.map(({ method }) => method)).toEqual(['card', 'btc-lightning'])
})

test.each([null, 'x', {}])('an invoice of the form %j is refused', async answer => {
  answerWith(answer)
  await expect(orderTopUp('/topup', 'c', CARD)).rejects.toMatchObject({ code: 'unknown' })
  await expect(getTopUp('/topup', 'c', 'a')).rejects.toMatchObject({ code: 'unknown' })
})

test('a checkout URL that is not a web page is refused', async () => {
  answerWith({ invoice_id: 'a', checkout_url: 'javascript:alert(1)' })
  expect((await orderTopUp('/topup', 'c', CARD)).checkout_url).toBeNull()
  expect((await getTopUp('/topup', 'c', 'a')).checkout_url).toBeNull()
})

const CREATED_AT = 1_795_000_000
const LIFE_SECONDS = 900

/** How many seconds too late this machine's clock is told that the invoice ends. */
async function lateSeconds(input: {
  /** Since the invoice was made. */
  askedAfterMs: number
  thereMs: number
  backMs: number
  clockAheadMs: number
}): Promise<number> {
  const { askedAfterMs, thereMs, backMs, clockAheadMs } = input
  const answeredAtMs = CREATED_AT * 1000 + askedAfterMs
  const now = jest.spyOn(Date, 'now').mockReturnValue(answeredAtMs - thereMs + clockAheadMs)
  globalThis.fetch = async () => {
    now.mockReturnValue(answeredAtMs + backMs + clockAheadMs)
    const expiresAt = CREATED_AT + LIFE_SECONDS
    const invoice = {
      invoice_id: 'i',
      created_at: CREATED_AT,
      expires_at: expiresAt,
      expires_in_seconds: expiresAt - Math.floor(answeredAtMs / 1000),
    }
    // The clock of the server that passes it on, or of a proxy, decides nothing.
    return Response.json(invoice, { headers: { date: new Date(0).toUTCString() } })
  }
  const { expires_at: expiresAt } = await getTopUp('/topup', 'credit', 'i')
  return expiresAt - CREATED_AT - LIFE_SECONDS - clockAheadMs / 1000
}

const latencyMs = fc.integer({ min: 0, max: 4_000 })
const ASKED = { askedAfterMs: fc.integer({ min: 0, max: 300_000 }), thereMs: latencyMs, backMs: latencyMs }

test('with a correct clock, the invoice’s expiry is exact, however slow the answer', async () => {
  const asked = fc.record({ ...ASKED, clockAheadMs: fc.constant(0) })
  await fc.assert(fc.asyncProperty(asked, async given => expect(await lateSeconds(given)).toBe(0)))
})

test('with a wrong clock, the remaining time is never too long, and hardly too short', async () => {
  const clockAheadMs = fc
    .integer({ min: 10_000, max: 100_000_000 })
    .chain(size => fc.constantFrom(size, -size))
  await fc.assert(
    fc.asyncProperty(fc.record({ ...ASKED, clockAheadMs }), async given => {
      const late = await lateSeconds(given)
      expect(late).toBeLessThanOrEqual(0)
      expect(late).toBeGreaterThan(-2 - given.thereMs / 1000)
    }),
  )
})

test('an invoice is new until its status is read', async () => {
  answerWith({ invoice_id: 'a', checkout_url: null })
  expect((await orderTopUp('/topup/refill', 'rf', CARD)).status).toBe('New')
  answerWith({ invoice_id: 'a', checkout_url: 'https://pay.test/a', status: 'Settled' })
  expect(await getTopUp('/topup/refill', 'rf', 'a')).toMatchObject({
    status: 'Settled',
    checkout_url: 'https://pay.test/a',
  })
})
