import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals'
import fc from 'fast-check'
import type { Database } from '@/lib/db/database'
import { openTestDatabase } from '@/lib/db/testing'
import { createEmbeddedLedger } from '@/lib/ledger/server/embedded-ledger'
import { hashOf } from '@/lib/ledger/testing'
import { createBtcpayGateway } from '@/lib/payments/gateways/btcpay/btcpay-gateway'
import { createSandboxGateway } from '@/lib/payments/gateways/sandbox/sandbox-gateway'
import { createPayments } from '@/lib/payments/server/create-payments'
import type { PaymentTables } from '@/lib/payments/server/payment-tables'
import { startBtcpayStandIn } from '@/test/stand-ins/btcpay'
import { answerApi } from '@/test/support/answer-api'

const CRON_SECRET = 'the cron secret'
const OPEN_TIMEOUT_MS = 60_000
const FUZZ_RUN_COUNT = 60

const services = jest.fn<() => Promise<unknown>>()
jest.unstable_mockModule('@/lib/composition', () => ({ services }))
const NOBODY = '00000000-0000-4000-8000-00000000ffff'

interface Question {
  body?: unknown
  headers?: Record<string, string>
}

function ask(method: 'GET' | 'POST', path: string, { body, headers }: Question = {}): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const address = `https://site.test${path}`
  return answerApi(new Request(address, { method, headers, ...(method === 'POST' ? { body: text } : {}) }))
}

const getCredit = (creditId: string) =>
  ask('GET', `/api/payments/account/${encodeURIComponent(creditId)}/credit`)
const sendWebhook = (gateway: string, question: Question) =>
  ask('POST', `/topup/webhooks/${encodeURIComponent(gateway)}`, question)
const getBalance = (question: Question) => ask('POST', '/credits/balance', question)

describe('the payment routes', () => {
  let database: Database
  let btcpay: Awaited<ReturnType<typeof startBtcpayStandIn>>
  let swept: number[]
  let announced: Promise<unknown>[]
  const setServices = (
    settings: Record<string, unknown> = {},
    gateways: 'sandbox' | 'btcpay' = 'sandbox',
  ) => {
    const ledger = createEmbeddedLedger({ database })
    const gateway =
      gateways === 'sandbox'
        ? createSandboxGateway({ database: database.kysely.withTables<PaymentTables>() })
        : createBtcpayGateway(btcpay.settings)
    services.mockResolvedValue({
      ledger,
      payments: createPayments({ database, ledger, gateways: [gateway] }),
      // The cron route's other half; only that it runs matters here.
      exchanges: { sweep: async (bounds: { rowCountMax: number }) => void swept.push(bounds.rowCountMax) },
      rateLimits: { take: async () => {} },
      keepAlive: (work: Promise<unknown>) => void announced.push(work),
      settings: { siteUrl: null, cronSecret: null, paymentsHost: null, servesAsHostToken: null, ...settings },
    })
  }
  beforeAll(async () => {
    database = await openTestDatabase()
    btcpay = await startBtcpayStandIn()
  }, OPEN_TIMEOUT_MS)
  afterAll(async () => {
    await btcpay.stop()
    await database.close()
  })
  beforeEach(() => {
    swept = []
    announced = []
    setServices()
  })

  async function createAccount(): Promise<{ creditId: string; apiKey: string }> {
    const answer = await (await ask('POST', '/accounts/create')).json()
    return { creditId: answer.credit_id, apiKey: answer.api_key }
  }
  const bearer = (credential: string) => ({ authorization: `Bearer ${credential}` })
  const createInvoice = (credential: string, body: unknown, method = 'btc-lightning') =>
    ask('POST', `/topup/create/${encodeURIComponent(method)}`, { body, headers: bearer(credential) })
  const status = (credential: string, invoiceId: string) =>
    ask('GET', `/topup/status/${encodeURIComponent(invoiceId)}`, { headers: bearer(credential) })
  const pay = (invoiceId: string, body: unknown) =>
    ask('POST', `/topup/sandbox/${encodeURIComponent(invoiceId)}/pay`, { body })

  test('an account is created in PayPerQ’s shape, with the visitor’s origin', async () => {
    const body = { attribution: { utm_source: 'news', utm_medium: 'mail', other: 'dropped' } }
    const answer = await (await ask('POST', '/accounts/create', { body })).json()
    expect(answer).toEqual({
      success: true,
      credit_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      api_key: expect.stringMatching(/^sk-/),
      balance: 0,
    })
    const rows = await database.kysely.selectFrom('account').select('attribution').execute()
    expect(rows).toContainEqual({ attribution: { utm_source: 'news', utm_medium: 'mail' } })
  })

  test('the balance shows a debt only if there is one', async () => {
    const { creditId, apiKey } = await createAccount()
    const balance = async () => (await getBalance({ body: {}, headers: bearer(apiKey) })).json()
    expect(await balance()).toEqual({ balance: 0 })
    const ledger = createEmbeddedLedger({ database })
    const credential = { kind: 'credit_id', secretHash: hashOf(creditId) } as const
    const { accountId = '' } = (await ledger.getBalance({ credential })) ?? {}
    const refund = { accountId, amountNano: 1_500_000_000n, source: 'gateway', memo: {} } as const
    await ledger.reverse({ ...refund, reference: creditId })
    expect(await balance()).toEqual({ balance: 0, debt_usd: 1.5 })
  })

  test('from account to balance: invoice, payment, status, credit', async () => {
    const { creditId, apiKey } = await createAccount()
    const created = await (await createInvoice(apiKey, { amount: 1000, currency: 'SATS' })).json()
    expect(created).toMatchObject({
      amount: 1000,
      currency: 'SATS',
      amount_usd: 1,
      lightning_invoice: expect.stringMatching(/^lnbc/),
      crypto_amount_due: 0.00001,
      checkout_url: null,
    })
    expect(created.expires_at - created.created_at).toBe(900)
    expect(created.expires_in_seconds).toBe(900)
    const paid = await (await pay(created.invoice_id, { fraction: 1.7 })).json()
    expect(paid).toMatchObject({ status: 'Settled', additional_status: 'paid_over' })
    expect(await (await status(creditId, created.invoice_id)).json()).toMatchObject({
      invoice_id: created.invoice_id,
      status: 'Settled',
      amount_paid: 1700,
      credited_usd: 1.7,
    })
    const balance = await getBalance({ body: { credit_id: creditId } })
    expect(await balance.json()).toEqual({ balance: 1.7 })
    const credit = await getCredit(creditId)
    expect(await credit.json()).toEqual({ credit_id: creditId, amount_usd: 1.7 })
  })

  test('a payment above the automatic limit shows the amount that waits for the operator', async () => {
    const { apiKey } = await createAccount()
    const created = await (await createInvoice(apiKey, { amount: 1000 })).json()
    const stderr = jest.spyOn(process.stderr, 'write').mockReturnValue(true)
    expect(await (await pay(created.invoice_id, { fraction: 1.7 })).json()).toMatchObject({
      additional_status: 'under_review',
      paid_usd: 1700,
      credited_usd: 1000,
      uncredited_usd: 700,
    })
    stderr.mockRestore()
  })

  test('the methods are listed with limits in every currency', async () => {
    const { supported_methods: methods } = await (await ask('GET', '/topup/payment-methods')).json()
    expect(methods[0]).toMatchObject({
      method: 'btc-lightning',
      supported_currencies: ['USD', 'SATS', 'BTC'],
      limits: {
        USD: { min: 0.1, max: 1000 },
        SATS: { min: 100, max: 1_000_000 },
        BTC: { min: 0.000001, max: 0.01 },
      },
    })
    expect(methods[1]).toMatchObject({ method: 'card', supported_currencies: ['USD'] })
  })

  test.each([
    [{ amount: 0.099 }, 400],
    [{ amount: 0.09 }, 400],
    [{ amount: 0.1 }, 200],
    [{ amount: '1000.00' }, 200],
    [{ amount: 1000.01 }, 400],
    [{ amount: 99, currency: 'SATS' }, 400],
    [{ amount: 100.5, currency: 'SATS' }, 400],
    [{ amount: 1, currency: 'EUR' }, 400],
    [{ amount: 0 }, 400],
    [{ amount: -1 }, 400],
    [{ amount: '1e309' }, 400],
    [{ amount: null }, 400],
    [{}, 400],
  ])('an invoice for %j answers %d', async (body, expected) => {
    const { apiKey } = await createAccount()
    const response = await createInvoice(apiKey, body)
    expect(response.status).toBe(expected)
  })

  test('without a credential nothing is created or shown', async () => {
    const order = ask('POST', '/topup/create/btc-lightning', { body: { amount: 1 } })
    expect((await order).status).toBe(401)
    expect((await createInvoice(NOBODY, { amount: 1 })).status).toBe(401)
    const look = ask('GET', `/topup/status/${NOBODY}`)
    expect((await look).status).toBe(401)
    expect((await getBalance({ body: { credit_id: NOBODY } })).status).toBe(401)
    expect((await getBalance({ body: {} })).status).toBe(401)
  })

  test('unknown methods and unconfigured gateways are not found', async () => {
    const { apiKey } = await createAccount()
    expect((await createInvoice(apiKey, { amount: 1 }, 'xmr')).status).toBe(404)
    expect((await createInvoice(apiKey, { amount: 20 }, 'btc')).status).toBe(404)
    for (const gateway of ['btcpay', 'stripe', 'nwc', 'sandbox', '../x']) {
      expect((await sendWebhook(gateway, { body: {} })).status).toBe(404)
    }
  })

  test('an invoice of another account gives the same answer as an unknown one', async () => {
    const [mine, theirs] = [await createAccount(), await createAccount()]
    const { invoice_id: invoiceId } = await (await createInvoice(mine.apiKey, { amount: 1 })).json()
    const [foreign, unknown] = [
      await status(theirs.creditId, invoiceId),
      await status(theirs.creditId, NOBODY),
    ]
    expect([foreign.status, unknown.status]).toEqual([404, 404])
    expect(await foreign.text()).toBe(await unknown.text())
  })

  test.each([NOBODY, 'not-a-uuid', 'sk-aaaaaaaaaaaaaaaaaaaaaaaa', ' '])(
    'the credit_id %j is not found, in the specification’s words',
    async creditId => {
      const response = await getCredit(creditId)
      expect(response.status).toBe(404)
      expect(await response.json()).toEqual({ error: 'Not Found' })
    },
  )

  test('a payments host that is down gives 502 and no balance', async () => {
    setServices({ paymentsHost: { PAYMENTS_HOST: 'http://127.0.0.1:1', PAYMENTS_HOST_TOKEN: 'token' } })
    const response = await getCredit(NOBODY)
    expect(response.status).toBe(502)
  })

  test('the sandbox route is absent beside a real gateway', async () => {
    const { apiKey } = await createAccount()
    setServices({}, 'btcpay')
    const { invoice_id: invoiceId } = await (await createInvoice(apiKey, { amount: 1 })).json()
    expect((await pay(invoiceId, { fraction: 1 })).status).toBe(404)
  })

  test('a verified webhook credits, a forged one is refused, and a gateway that is down gives 502', async () => {
    const { apiKey, creditId } = await createAccount()
    setServices({}, 'btcpay')
    const { invoice_id: invoiceId } = await (await createInvoice(apiKey, { amount: 1 })).json()
    const row = await database.kysely
      .withTables<PaymentTables>()
      .selectFrom('invoice')
      .select('gateway_invoice_id')
      .where('id', '=', invoiceId)
      .executeTakeFirstOrThrow()
    btcpay.invoice(row.gateway_invoice_id).pay(100n, true)
    const send = ({ rawBody, headers }: ReturnType<typeof btcpay.webhook>) =>
      sendWebhook('btcpay', { body: rawBody, headers })
    const forged = await send(btcpay.webhook('InvoiceSettled', row.gateway_invoice_id, 'guess'))
    expect(forged.status).toBe(401)
    btcpay.setDown(true)
    const settled = btcpay.webhook('InvoiceSettled', row.gateway_invoice_id)
    expect((await send(settled)).status).toBe(502)
    btcpay.setDown(false)
    expect((await send(settled)).status).toBe(200)
    expect((await send(settled)).status).toBe(200)
    expect((await send(btcpay.webhook('InvoiceSettled', 'not-ours'))).status).toBe(200)
    const balance = await getBalance({ headers: bearer(creditId), body: {} })
    expect(await balance.json()).toEqual({ balance: 1 })
  })

  test('the cron route is absent without a secret, and refuses a wrong one', async () => {
    const run = (headers: Record<string, string>) => ask('POST', '/api/cron/reconcile', { headers })
    expect((await run(bearer('undefined'))).status).toBe(404)
    setServices({ cronSecret: CRON_SECRET })
    expect((await run({})).status).toBe(401)
    expect((await run(bearer('a guess'))).status).toBe(401)
    const response = await run(bearer(CRON_SECRET))
    expect(await response.json()).toMatchObject({ failed_count: 0, released_hold_count: 0 })
    expect(swept).toEqual([expect.any(Number)])
    // For a timer that hangs up before the end.
    expect(announced).toHaveLength(1)
    await announced[0]
  })

  test(
    'any input gives a success or a refusal, never a 500',
    async () => {
      const { apiKey } = await createAccount()
      const { invoice_id: invoiceId } = await (await createInvoice(apiKey, { amount: 1 })).json()
      setServices({ cronSecret: CRON_SECRET })
      const text = fc.oneof(fc.string(), fc.constantFrom(apiKey, invoiceId, NOBODY, "'; --", '%00', '..'))
      const body = fc.oneof(
        fc.json(),
        fc.string(),
        fc
          .record(
            {
              amount: fc.anything(),
              currency: fc.anything(),
              fraction: fc.anything(),
              credit_id: fc.anything(),
            },
            { requiredKeys: [] },
          )
          .map(value =>
            JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? String(each) : each)),
          ),
        fc
          .record({ attribution: fc.anything() })
          .map(value =>
            JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? String(each) : each)),
          ),
      )
      await fc.assert(
        fc.asyncProperty(text, body, async (name, sent) => {
          const headers = bearer(apiKey)
          const responses = await Promise.all([
            ask('POST', '/accounts/create', { body: sent }),
            getBalance({ body: sent, headers }),
            createInvoice(apiKey, sent),
            createInvoice(apiKey, sent, name),
            status(apiKey, name),
            pay(invoiceId, sent),
            pay(name, sent),
            sendWebhook(name, { body: sent }),
            getCredit(name),
            ask('POST', '/api/cron/reconcile', { body: sent }),
          ])
          for (const response of responses) {
            await response.text()
            expect(response.status).toBeLessThan(500)
          }
        }),
        { numRuns: FUZZ_RUN_COUNT },
      )
    },
    OPEN_TIMEOUT_MS,
  )
})
