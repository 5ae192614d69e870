import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { describeOnPostgres } from '@/lib/db/testing'
import { NANO_PER_USD } from '@/lib/money/nano'
import { startJsonServer } from '@/test/stand-ins/json-server'
import { startLyingProxy } from '@/test/stand-ins/lying-proxy'
import { startStripeStandIn } from '@/test/stand-ins/stripe'
import { listenToLog } from '@/test/support/log-lines'
import { type Gateway, GatewayError, type GatewayInvoiceRequest } from '../../domain/gateway'
import { additionalStatus, withShownTotals } from '../../domain/invoice'
import { databaseClock } from '../../server/database-clock'
import type { PaymentTables } from '../../server/payment-tables'
import { createPaymentsForTest, decimal } from '../../server/testing'
import { createStripeGateway } from './stripe-gateway'

type StandIn = Awaited<ReturnType<typeof startStripeStandIn>>
type Shop = Awaited<ReturnType<typeof createPaymentsForTest>>

const SITE_URL = 'https://site.test'

describeOnPostgres('payments by card', getDatabase => {
  let stripe: StandIn
  beforeAll(async () => {
    stripe = await startStripeStandIn()
  })
  afterAll(() => stripe.stop())

  async function openShop({ bonus = '0' } = {}) {
    const database = getDatabase()
    const gateway = createStripeGateway({
      ...stripe.settings,
      productName: 'Tuppence credit',
      now: databaseClock(database.kysely.withTables<PaymentTables>()),
    })
    return createPaymentsForTest({ database, gateways: [gateway], bonuses: { card: decimal(bonus) } })
  }
  async function order(shop: Shop, dollars = '10') {
    const result = await shop.payments.createInvoice({
      accountId: shop.accountId,
      methodId: 'card',
      amount: decimal(dollars),
      currency: 'USD',
      siteUrl: SITE_URL,
    })
    if (result.outcome !== 'created') throw new Error(result.outcome)
    return result.invoice
  }
  function deliver(shop: Shop, { rawBody, headers }: { rawBody: string; headers: Record<string, string> }) {
    return shop.payments.handleWebhook({
      gatewayId: 'stripe',
      rawBody: new TextEncoder().encode(rawBody),
      headers: new Headers(headers),
    })
  }
  async function paidShop(input?: { bonus: string }) {
    const shop = await openShop(input)
    const invoice = await order(shop)
    const sessionId = invoice.gatewayInvoiceId
    stripe.complete(sessionId)
    await deliver(shop, stripe.webhook('checkout.session.completed', stripe.session(sessionId)))
    return { shop, invoice, sessionId }
  }

  test('a checkout session contains our invoice id and return URL, and no secret', async () => {
    const shop = await openShop()
    const invoice = await order(shop)
    const session = stripe.session(invoice.gatewayInvoiceId)
    expect(invoice.checkoutUrl).toBe(session.url)
    expect(session).toMatchObject({
      client_reference_id: invoice.invoiceId,
      metadata: { invoice_id: invoice.invoiceId },
      amount_total: 1000,
      currency: 'usd',
      success_url: `${SITE_URL}/top-up?invoice=${invoice.invoiceId}`,
      cancel_url: `${SITE_URL}/top-up?invoice=${invoice.invoiceId}`,
    })
    const sent = stripe.requests.map(({ text }) => text).join()
    // The operator finds the invoice by it among the payments in Stripe's dashboard.
    expect(new URLSearchParams(sent).get('payment_intent_data[metadata][invoice_id]')).toBe(invoice.invoiceId)
    expect(sent).not.toContain(shop.credential.secretHash)
    expect(sent).not.toContain(shop.accountId)
  })

  test('a paid session is credited once, however often it is reported', async () => {
    const { shop, sessionId } = await paidShop()
    const event = stripe.webhook('checkout.session.completed', stripe.session(sessionId))
    await Promise.all(Array.from({ length: 10 }, () => deliver(shop, event)))
    expect(await shop.balanceNano()).toBe(10n * NANO_PER_USD)
  })

  test('what Stripe takes in another currency is worth the dollars that were asked for, and their share', async () => {
    const shop = await openShop()
    const { gatewayInvoiceId: sessionId } = await order(shop)
    Object.assign(stripe.session(sessionId), { currency: 'jpy', amount_total: 1_550 })
    stripe.complete(sessionId)
    await deliver(shop, stripe.webhook('checkout.session.completed', stripe.session(sessionId)))
    expect(await shop.balanceNano()).toBe(10n * NANO_PER_USD)
    await deliver(shop, stripe.webhook('charge.refunded', stripe.refund(sessionId, 310)))
    expect(await shop.balanceNano()).toBe(8n * NANO_PER_USD)
    await deliver(shop, stripe.webhook('charge.dispute.created', stripe.dispute(sessionId, 620)))
    expect(await shop.balanceNano()).toBe(4n * NANO_PER_USD)
  })

  test('a delayed payment is credited when it succeeds, not when the session completes', async () => {
    const shop = await openShop()
    const { invoiceId, gatewayInvoiceId } = await order(shop)
    stripe.complete(gatewayInvoiceId, 'processing')
    await deliver(shop, stripe.webhook('checkout.session.completed', stripe.session(gatewayInvoiceId)))
    expect(await shop.balanceNano()).toBe(0n)
    expect((await shop.payments.recheckInvoice({ invoiceId }))?.state).toBe('Processing')
    stripe.succeed(gatewayInvoiceId)
    const succeeded = stripe.webhook(
      'checkout.session.async_payment_succeeded',
      stripe.session(gatewayInvoiceId),
    )
    await deliver(shop, succeeded)
    expect(await shop.balanceNano()).toBe(10n * NANO_PER_USD)
  })

  test('a delayed payment that fails, and a session that expires, credit nothing', async () => {
    const shop = await openShop()
    const failed = await order(shop)
    stripe.complete(failed.gatewayInvoiceId, 'processing')
    stripe.fail(failed.gatewayInvoiceId)
    await deliver(
      shop,
      stripe.webhook('checkout.session.async_payment_failed', stripe.session(failed.gatewayInvoiceId)),
    )
    const expired = await order(shop)
    stripe.expire(expired.gatewayInvoiceId)
    await deliver(shop, stripe.webhook('checkout.session.expired', stripe.session(expired.gatewayInvoiceId)))
    const state = async (invoiceId: string) =>
      (await shop.payments.getInvoice({ accountId: shop.accountId, invoiceId }))?.state
    expect(await state(failed.invoiceId)).toBe('Invalid')
    expect(await state(expired.invoiceId)).toBe('Expired')
    expect(await shop.balanceNano()).toBe(0n)
  })

  test('what a signed event tells is taken back even if Stripe’s own answers are older', async () => {
    const { shop, sessionId } = await paidShop()
    const charge = { ...stripe.charge(sessionId), amount_refunded: 300 }
    await deliver(shop, stripe.webhook('charge.refunded', charge))
    expect(await shop.balanceNano()).toBe(7n * NANO_PER_USD)
    const { payment_intent, currency } = charge
    const dispute = { id: 'du_new', amount: 200, currency, payment_intent, status: 'needs_response' }
    await deliver(shop, stripe.webhook('charge.dispute.created', dispute))
    expect(await shop.balanceNano()).toBe(5n * NANO_PER_USD)
  })

  test('each partial refund is taken back once', async () => {
    const { shop, sessionId } = await paidShop()
    const first = stripe.webhook('charge.refunded', { ...stripe.refund(sessionId, 300) })
    await deliver(shop, first)
    await deliver(shop, first)
    expect(await shop.balanceNano()).toBe(7n * NANO_PER_USD)
    const second = stripe.webhook('charge.refunded', { ...stripe.refund(sessionId, 200) })
    await Promise.all([deliver(shop, second), deliver(shop, first), deliver(shop, second)])
    expect(await shop.balanceNano()).toBe(5n * NANO_PER_USD)
  })

  test.each(['refund.updated', 'refund.failed', 'charge.refund.updated'])(
    'a refund that fails (%s) is credited back once, and can be repeated',
    async type => {
      const { shop, invoice, sessionId } = await paidShop({ bonus: '0.1' })
      const seen = async () => {
        const seen = await shop.payments.findInvoice(invoice)
        return seen && { ...withShownTotals(seen), additional: additionalStatus(withShownTotals(seen)) }
      }
      const whole = {
        additional: 'none',
        paidNano: 10n * NANO_PER_USD,
        creditedNano: 10n * NANO_PER_USD,
        bonusNano: NANO_PER_USD,
      }
      const refunded = (dollars: bigint) => ({
        refundSeenNano: dollars * NANO_PER_USD,
        reversedNano: dollars * NANO_PER_USD,
        reversedBonusNano: (dollars * NANO_PER_USD) / 10n,
      })
      await deliver(shop, stripe.webhook('charge.refunded', { ...stripe.refund(sessionId, 300) }))
      await deliver(shop, stripe.webhook('charge.refunded', { ...stripe.refund(sessionId, 700) }))
      expect(await shop.balanceNano()).toBe(0n)
      const failed = stripe.webhook(type, { ...stripe.failRefund(sessionId) })
      await Promise.all([deliver(shop, failed), deliver(shop, failed)])
      expect(await shop.balanceNano()).toBe((77n * NANO_PER_USD) / 10n)
      expect(await seen()).toMatchObject({ ...whole, ...refunded(3n) })
      const again = stripe.webhook('charge.refunded', { ...stripe.refund(sessionId, 700) })
      await Promise.all([deliver(shop, again), deliver(shop, failed)])
      expect(await shop.balanceNano()).toBe(0n)
      expect(await seen()).toMatchObject({ ...whole, ...refunded(10n) })
    },
  )

  test('a failed refund is found even after more refunds than a charge lists', async () => {
    const { shop, sessionId } = await paidShop()
    stripe.refund(sessionId, 100)
    const failed = stripe.webhook('refund.failed', { ...stripe.failRefund(sessionId) })
    await deliver(shop, failed)
    for (let count = 0; count < 10; count += 1) stripe.refund(sessionId, 50)
    await deliver(shop, failed)
    expect(await shop.balanceNano()).toBe(5n * NANO_PER_USD)
  })

  test('a failed refund is credited back even after more refunds than Stripe lists at once', async () => {
    const { shop, sessionId } = await paidShop()
    await deliver(shop, stripe.webhook('charge.refunded', { ...stripe.refund(sessionId, 700) }))
    const failed = stripe.webhook('refund.failed', { ...stripe.failRefund(sessionId) })
    for (let count = 0; count < 110; count += 1) stripe.refund(sessionId, 1)
    await deliver(shop, failed)
    expect(await shop.balanceNano()).toBe((89n * NANO_PER_USD) / 10n)
  })

  test('a refund reported before its payment is taken from the payment', async () => {
    const shop = await openShop()
    const { gatewayInvoiceId } = await order(shop)
    stripe.complete(gatewayInvoiceId)
    await deliver(shop, stripe.webhook('charge.refunded', { ...stripe.refund(gatewayInvoiceId, 400) }))
    await deliver(shop, stripe.webhook('checkout.session.completed', stripe.session(gatewayInvoiceId)))
    expect(await shop.balanceNano()).toBe(6n * NANO_PER_USD)
  })

  test('a chargeback is taken back once, and returned once when the dispute is won', async () => {
    const { shop, sessionId } = await paidShop()
    const dispute = stripe.dispute(sessionId, 1000)
    const created = stripe.webhook('charge.dispute.created', { ...dispute })
    await deliver(shop, created)
    await deliver(shop, created)
    expect(await shop.balanceNano()).toBe(0n)
    dispute.status = 'won'
    const closed = stripe.webhook('charge.dispute.closed', { ...dispute })
    await Promise.all([deliver(shop, closed), deliver(shop, created), deliver(shop, closed)])
    await deliver(shop, created)
    expect(await shop.balanceNano()).toBe(10n * NANO_PER_USD)
  })

  test('a dispute first reported after it was won changes nothing, and a lost one is not returned', async () => {
    const won = await paidShop()
    const dispute = stripe.dispute(won.sessionId, 1000)
    const created = stripe.webhook('charge.dispute.created', { ...dispute })
    dispute.status = 'won'
    await deliver(won.shop, stripe.webhook('charge.dispute.closed', { ...dispute }))
    await deliver(won.shop, created)
    expect(await won.shop.balanceNano()).toBe(10n * NANO_PER_USD)

    const lost = await paidShop()
    const lostDispute = stripe.dispute(lost.sessionId, 400)
    await deliver(lost.shop, stripe.webhook('charge.dispute.created', { ...lostDispute }))
    lostDispute.status = 'lost'
    await deliver(lost.shop, stripe.webhook('charge.dispute.closed', { ...lostDispute }))
    expect(await lost.shop.balanceNano()).toBe(6n * NANO_PER_USD)
  })

  test('a bank’s inquiry before a dispute takes nothing back', async () => {
    const { shop, sessionId } = await paidShop()
    const dispute = stripe.dispute(sessionId, 1000)
    dispute.status = 'warning_needs_response'
    await deliver(shop, stripe.webhook('charge.dispute.created', { ...dispute }))
    expect(await shop.balanceNano()).toBe(10n * NANO_PER_USD)
  })

  test('forged, altered and old deliveries are refused', async () => {
    const shop = await openShop()
    const { gatewayInvoiceId } = await order(shop)
    stripe.complete(gatewayInvoiceId)
    const session = stripe.session(gatewayInvoiceId)
    const good = stripe.webhook('checkout.session.completed', session)
    const old = Math.floor(Date.now() / 1000) - 3600
    const refused = [
      stripe.webhook('checkout.session.completed', session, { secret: '' }),
      stripe.webhook('checkout.session.completed', session, { secret: 'guess' }),
      stripe.webhook('checkout.session.completed', session, { at: old }),
      { ...good, rawBody: JSON.stringify(JSON.parse(good.rawBody)) },
      { ...good, headers: {} },
      { ...good, headers: { 'stripe-signature': 'nonsense' } },
      { ...good, headers: { 'stripe-signature': 't=,v1=' } },
    ]
    for (const delivery of refused) {
      expect(await deliver(shop, delivery)).toEqual({ outcome: 'refused' })
    }
    expect(await shop.balanceNano()).toBe(0n)
    expect(await deliver(shop, good)).toEqual({ outcome: 'handled' })
  })

  test.each<[string, object]>([
    ['checkout.session.completed', { id: null }],
    ['checkout.session.completed', { id: ['cs_1'] }],
    ['checkout.session.completed', { id: 'half a pair \ud800' }],
    ['charge.refunded', { payment_intent: '../disputes', amount_refunded: 1, currency: 'usd' }],
    ['charge.refund.updated', { payment_intent: '../disputes' }],
    ['charge.refunded', { payment_intent: 'pi_1', amount_refunded: 1e20, currency: 'usd' }],
    [
      'charge.dispute.created',
      { id: 'du_1', payment_intent: {}, amount: 1, currency: 'usd', status: 'lost' },
    ],
  ])('a signed %s with invalid content, %j, is ignored', async (type, object) => {
    expect(await deliver(await openShop(), stripe.webhook(type, object))).toEqual({ outcome: 'ignored' })
  })

  test('an empty secret verifies nothing', async () => {
    const gateway = createStripeGateway({
      ...stripe.settings,
      webhookSecret: '',
      productName: 'Tuppence credit',
      now: async () => new Date(),
    })
    const { rawBody, headers } = stripe.webhook('checkout.session.completed', { id: 'cs_1' }, { secret: '' })
    const input = { rawBody: new TextEncoder().encode(rawBody), headers: new Headers(headers) }
    expect(await gateway.verifyWebhook?.(input)).toBeNull()
  })

  test('the age of a delivery is measured by the clock of the database, however wrong the app’s own is', async () => {
    const aheadMs = 24 * 3600 * 1000
    const gateway = createStripeGateway({
      ...stripe.settings,
      productName: 'Tuppence credit',
      now: async () => new Date(Date.now() + aheadMs),
    })
    const verify = (atMs: number) => {
      const at = Math.floor(atMs / 1000)
      const { rawBody, headers } = stripe.webhook('checkout.session.completed', { id: 'cs_1' }, { at })
      const bytes = new TextEncoder().encode(rawBody)
      return gateway.verifyWebhook?.({ rawBody: bytes, headers: new Headers(headers) })
    }
    expect(await verify(Date.now() + aheadMs)).toMatchObject({ gatewayInvoiceId: 'cs_1' })
    expect(await verify(Date.now())).toBeNull()
  })
})

describe('an unreachable Stripe', () => {
  test('is distinguished from an unknown session', async () => {
    const standIn = await startStripeStandIn()
    const settings = { ...standIn.settings, productName: 'Tuppence credit', now: async () => new Date() }
    const unknown = { gatewayInvoiceId: 'cs_test_unknown', amountNano: NANO_PER_USD, bitcoinDue: null }
    expect(await createStripeGateway(settings).fetchInvoice(unknown)).toBeNull()
    const stranger = createStripeGateway({ ...settings, secretKey: 'sk_test_wrong' })
    await expect(stranger.fetchInvoice(unknown)).rejects.toThrow(GatewayError)
    await standIn.stop()
    await expect(createStripeGateway(settings).fetchInvoice(unknown)).rejects.toThrow(GatewayError)
  })

  test.each([
    ['a failure of a proxy in between', { status: 503, body: {} }],
    ['a sentence of such a proxy', { status: 200, body: 'Service unavailable' }],
    ['nothing', { status: 200, body: null }],
    ['a list', { status: 200, body: [] }],
    ['an error that is none', { status: 400, body: { error: true } }],
    [
      'another session',
      { status: 200, body: { id: 'cs_test_2', payment_status: 'paid', amount_total: 500 } },
    ],
  ])('is distinguished from an unpaid session when what comes is %s', async (_what, answer) => {
    const proxy = await startJsonServer({ answer: () => answer })
    const gateway = createStripeGateway({
      secretKey: 'sk_test_1',
      webhookSecret: 's',
      apiBase: proxy.url,
      productName: 'Tuppence credit',
      now: async () => new Date(),
    })
    const asked = { gatewayInvoiceId: 'cs_test_1', amountNano: NANO_PER_USD, bitcoinDue: null }
    await expect(gateway.fetchInvoice(asked)).rejects.toThrow(GatewayError)
    await proxy.stop()
  })
})

describe('a lying proxy before Stripe', () => {
  let standIn: StandIn
  let proxy: Awaited<ReturnType<typeof startLyingProxy>>
  let gateway: Gateway
  beforeEach(async () => {
    standIn = await startStripeStandIn()
    proxy = await startLyingProxy(standIn.url)
    gateway = createStripeGateway({
      ...standIn.settings,
      apiBase: proxy.url,
      productName: 'credit',
      now: async () => new Date(),
    })
  })
  afterEach(async () => {
    await Promise.all([proxy.stop(), standIn.stop()])
  })

  const LIST = '{"object":"list"'
  const request: GatewayInvoiceRequest = {
    invoiceId: 'f6b5c2a0-1111-4222-8333-444455556666',
    methodId: 'card',
    amountNano: 10n * NANO_PER_USD,
    requested: { amount: decimal('10'), currency: 'USD' },
    expirySeconds: 900,
    returnUrl: SITE_URL,
  }
  async function paySession(): Promise<string> {
    const { gatewayInvoiceId } = await gateway.createInvoice({ ...request, invoiceId: randomUUID() })
    standIn.complete(gatewayInvoiceId)
    return gatewayInvoiceId
  }
  const observe = (gatewayInvoiceId: string) =>
    gateway.fetchInvoice({ gatewayInvoiceId, amountNano: request.amountNano, bitcoinDue: null })

  test.each([
    ['the same page', (text: string) => text],
    ['an empty page', () => '{"object":"list","data":[],"has_more":true}'],
  ])('that has ever more refunds, each time %s, costs a few requests', async (_what, nextPage) => {
    const sessionId = await paySession()
    standIn.refund(sessionId, 100)
    const pages: string[] = []
    proxy.lie(text => {
      const more = text.replaceAll('"has_more":false', '"has_more":true')
      if (!text.startsWith(LIST)) return more
      pages.push(pages.length === 0 ? more : nextPage(pages[0] ?? ''))
      return pages.at(-1) ?? ''
    })
    await expect(observe(sessionId)).rejects.toThrow(GatewayError)
    expect(pages.length).toBeLessThanOrEqual(5)
  })

  test.each<[string, string, (list: string, chargeId: string) => string]>([
    ['refunds', '"re_', list => list],
    ['disputes', '"du_', list => list],
    ['refunds with their charge', '"re_', expanded],
    ['disputes with their charge', '"du_', expanded],
    ['refunds without their charge', '"re_', withoutCharge],
    ['disputes without their charge', '"du_', withoutCharge],
  ])('that tells the %s of one payment for those of another is not believed', async (_what, id, retold) => {
    const [mine, other] = [await paySession(), await paySession()]
    for (const sessionId of [mine, other]) {
      for (let count = 0; count < 11; count += 1) standIn.refund(sessionId, 10)
      standIn.dispute(sessionId, 10)
    }
    standIn.failRefund(other)
    expect(await observe(mine)).toMatchObject({
      state: 'Settled',
      disputes: [{ disputeId: expect.any(String) }],
    })
    const [charge, otherCharge] = [standIn.charge(mine), standIn.charge(other)]
    const lieIn = (change: (list: string) => string) =>
      proxy.lie(text => (text.startsWith(LIST) && text.includes(id) ? change(text) : text))
    lieIn(list => retold(list, charge.id))
    expect(await observe(mine)).toMatchObject({ state: 'Settled' })
    lieIn(list => {
      const ofOther = list
        .replaceAll(charge.id, otherCharge.id)
        .replaceAll(charge.payment_intent, otherCharge.payment_intent)
      return retold(ofOther, otherCharge.id)
    })
    await expect(observe(mine)).rejects.toThrow(GatewayError)
  })

  test('that shows the session of another invoice for a new one has made none', async () => {
    const other = randomUUID()
    proxy.lie(text => text.replaceAll(request.invoiceId, other))
    await expect(gateway.createInvoice(request)).rejects.toThrow(GatewayError)
    proxy.lie(text => text.replace(/"client_reference_id":"[^"]*"/, '"client_reference_id":null'))
    expect(await gateway.createInvoice(request)).toMatchObject({ checkoutUrl: expect.any(String) })
  })

  test.each(['null', '""'])('that says %s for the page to pay on has made no invoice', async url => {
    proxy.lie(text => text.replace(/"url":"[^"]*"/, `"url":${url}`))
    await expect(gateway.createInvoice(request)).rejects.toThrow(GatewayError)
  })
})

/** As Stripe tells it if it is asked to expand it. */
function expanded(list: string, chargeId: string): string {
  return list.replaceAll(`"charge":"${chargeId}"`, `"charge":{"id":"${chargeId}"}`)
}

function withoutCharge(list: string, chargeId: string): string {
  return list.replaceAll(`"charge":"${chargeId}"`, '"charge":null')
}

test('an operator with a key of the test mode is told that its cards are made up', () => {
  const log = listenToLog()
  const open = (secretKey: string, apiBase?: string) =>
    createStripeGateway({
      secretKey,
      webhookSecret: 's',
      apiBase,
      productName: 'credit',
      now: async () => new Date(),
    })
  open('sk_live_1')
  open('sk_test_1', 'http://127.0.0.1:1')
  expect(log.messages()).toEqual([])
  open('sk_test_1')
  open('rk_test_1')
  const warned = expect.stringContaining('STRIPE_SECRET_KEY')
  expect(log.messages()).toEqual([warned, warned])
  log.stop()
})
