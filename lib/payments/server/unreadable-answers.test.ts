import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import fc from 'fast-check'
import { describeOnPostgres } from '@/lib/db/testing'
import { checkLedger } from '@/lib/ledger/server/check-ledger'
import { NANO_PER_USD } from '@/lib/money/nano'
import { startBtcpayStandIn } from '@/test/stand-ins/btcpay'
import { startJsonServer } from '@/test/stand-ins/json-server'
import { startLyingProxy } from '@/test/stand-ins/lying-proxy'
import { startStripeStandIn } from '@/test/stand-ins/stripe'
import { startWalletStandIn } from '@/test/stand-ins/wallet'
import {
  type Gateway,
  GatewayError,
  type GatewayId,
  type GatewayInvoice,
  type Observation,
  TOLD_NANO_MAX,
} from '../domain/gateway'
import { type Invoice, invoiceSchema } from '../domain/invoice'
import { createBtcpayGateway } from '../gateways/btcpay/btcpay-gateway'
import { createNwcGateway } from '../gateways/nwc/nwc-gateway'
import { createStripeGateway } from '../gateways/stripe/stripe-gateway'
import { createPaymentsForTest, decimal, openScriptedShop } from './testing'

const DOLLAR = NANO_PER_USD
const TIMEOUT_MS = 120_000
const ANY_JSON_RUN_COUNT = 25
const NONSENSE_RUN_COUNT = 15

type Delivery = { rawBody: string; headers: Record<string, string> } | null

/** A gateway behind a stand-in that lies on demand. */
interface Liar {
  gateway: Gateway
  methodId: 'btc-lightning' | 'card'
  lie(change: ((text: string) => string) | null): void
  /** The payer pays in full; what the gateway delivers then. */
  pay(invoice: Invoice): Delivery
  /** The operator refunds half; null if the gateway knows no refunds. */
  refundHalf: ((invoice: Invoice) => Delivery) | null
  stop(): Promise<void>
}

async function openBtcpay(): Promise<Liar> {
  const standIn = await startBtcpayStandIn()
  const proxy = await startLyingProxy(standIn.url)
  let nowMs = 0
  // Longer than the list of pull payments is cached.
  const now = () => {
    nowMs += 100_000
    return nowMs
  }
  return {
    gateway: createBtcpayGateway({ ...standIn.settings, url: proxy.url }, now),
    methodId: 'btc-lightning',
    lie: proxy.lie,
    pay({ gatewayInvoiceId }) {
      standIn.invoice(gatewayInvoiceId).pay(100n, true)
      return standIn.webhook('InvoiceSettled', gatewayInvoiceId)
    },
    refundHalf({ gatewayInvoiceId }) {
      const id = standIn.refunds.create(gatewayInvoiceId, { currency: 'USD', amount: '5' })
      const payoutId = standIn.refunds.claim(id, '5', '0.00007', 'Completed')
      return standIn.payoutWebhook('PayoutUpdated', payoutId)
    },
    stop: async () => {
      await Promise.all([proxy.stop(), standIn.stop()])
    },
  }
}

async function openStripe(): Promise<Liar> {
  const standIn = await startStripeStandIn()
  const proxy = await startLyingProxy(standIn.url)
  return {
    gateway: createStripeGateway({
      ...standIn.settings,
      apiBase: proxy.url,
      productName: 'Tuppence credit',
      now: async () => new Date(),
    }),
    methodId: 'card',
    lie: proxy.lie,
    pay({ gatewayInvoiceId: sessionId }) {
      standIn.complete(sessionId)
      return standIn.webhook('checkout.session.completed', standIn.session(sessionId))
    },
    refundHalf({ gatewayInvoiceId: sessionId }) {
      // The event alone tells the payment, whose session is looked up.
      standIn.refund(sessionId, 500)
      return standIn.webhook('refund.updated', { payment_intent: standIn.session(sessionId).payment_intent })
    },
    stop: async () => {
      await Promise.all([proxy.stop(), standIn.stop()])
    },
  }
}

async function openWallet(): Promise<Liar> {
  const standIn = await startWalletStandIn()
  const body = { data: { amount: '85240.10', base: 'BTC', currency: 'USD' } }
  const rates = await startJsonServer({ answer: () => ({ status: 200, body }) })
  return {
    gateway: createNwcGateway({ nwcUrl: standIn.nwcUrl, rateUrl: rates.url, description: 'credit' }),
    methodId: 'btc-lightning',
    lie: change => standIn.setSpoiled(change && { clear: change }),
    pay({ gatewayInvoiceId }) {
      standIn.pay(gatewayInvoiceId)
      return null
    },
    refundHalf: null,
    stop: async () => {
      await Promise.all([standIn.stop(), rates.stop()])
    },
  }
}

type Place = readonly (string | number)[]

/** Every value in a JSON text, the whole included. */
function placesOf(value: unknown, place: Place = []): Place[] {
  if (typeof value !== 'object' || value === null) return [place]
  return [place, ...Object.entries(value).flatMap(([name, each]) => placesOf(each, [...place, name]))]
}

/** The JSON text with one of its values replaced, by text that need not be JSON. */
function replace(text: string, index: number, instead: string): string {
  const places = placesOf(JSON.parse(text))
  const place = places[index % places.length] ?? []
  const mark = 'the value to be replaced'
  const write = (value: unknown, [name, ...rest]: Place): unknown => {
    if (name === undefined) return mark
    const copy = structuredClone(value) as Record<string, unknown>
    copy[name] = write(copy[name], rest)
    return copy
  }
  return JSON.stringify(write(JSON.parse(text), place)).replace(`"${mark}"`, instead)
}

/** From which answer on each is damaged, where, and by what. */
interface Damage {
  answer: number
  place: number
  instead: string
}

const damages = (instead: fc.Arbitrary<string>): fc.Arbitrary<Damage> =>
  fc.record({ answer: fc.nat(4), place: fc.nat(200), instead })

/** Values that no field of any answer has. */
const NONSENSE = ['{}', '[[0]]', 'true', '1e300', '-1e30', '1e39', '1e999', '"\\u0000"', '']

const anyJson = fc.oneof(
  fc.json({ maxDepth: 2 }),
  fc.constantFrom(
    ...NONSENSE,
    'null',
    '[]',
    '""',
    '-1',
    '0',
    '"0"',
    '9007199254740993',
    `"${'9'.repeat(50)}"`,
  ),
  fc.constantFrom(
    '99999999999999999999',
    '8640000000001',
    '8639999999999',
    '-62135596800',
    '"1e-39"',
    `"${'x'.repeat(3_000)}"`,
  ),
)

const GATEWAYS_BEHIND_LIARS: Record<Exclude<GatewayId, 'sandbox'>, () => Promise<Liar>> = {
  btcpay: openBtcpay,
  nwc: openWallet,
  stripe: openStripe,
}

describe.each(Object.entries(GATEWAYS_BEHIND_LIARS))('an answer of %s that cannot be read', (_id, open) => {
  describeOnPostgres('is the error of the gateway', getDatabase => {
    let liar: Liar
    const quiet: { mockRestore(): void }[] = []
    beforeAll(async () => {
      quiet.push(jest.spyOn(process.stderr, 'write').mockReturnValue(true))
      quiet.push(jest.spyOn(console, 'error').mockReturnValue())
      liar = await open()
    }, TIMEOUT_MS)
    afterAll(async () => {
      await liar.stop()
      for (const each of quiet) each.mockRestore()
    })

    const openShop = () => createPaymentsForTest({ database: getDatabase(), gateways: [liar.gateway] })
    type Shop = Awaited<ReturnType<typeof openShop>>
    const deliver = async (shop: Shop, delivery: Delivery) =>
      delivery &&
      shop.payments.handleWebhook({
        gatewayId: liar.gateway.id,
        rawBody: new TextEncoder().encode(delivery.rawBody),
        headers: new Headers(delivery.headers),
      })
    /** What comes of asking a gateway of whose answers some are damaged: anything but the gateway's error is thrown. */
    async function whileLying<Result>({ answer, place, instead }: Damage, ask: () => Promise<Result>) {
      let answerCount = 0
      liar.lie(text => {
        answerCount += 1
        return answerCount > answer ? replace(text, place, instead) : text
      })
      try {
        return await ask()
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error
        return null
      } finally {
        liar.lie(null)
      }
    }
    const isReadable = (invoice: Invoice | null) => invoiceSchema.safeEncode(invoice as Invoice).success

    test(
      'whatever it says, wherever, and leaves an invoice that can be read',
      async () => {
        const shop = await openShop()
        await fc.assert(
          fc.asyncProperty(damages(anyJson), async damage => {
            const created = await whileLying(damage, () => shop.createInvoice('10', liar.methodId))
            if (created) expect(isReadable(created)).toBe(true)
            const invoice = await shop.createInvoice('10', liar.methodId)
            const deliveries = [liar.pay(invoice)]
            const ask = () => shop.payments.recheckInvoice(invoice)
            await whileLying(damage, ask)
            if (liar.refundHalf) deliveries.push(liar.refundHalf(invoice))
            await whileLying(damage, ask)
            for (const each of deliveries) await whileLying(damage, () => deliver(shop, each))
            expect(isReadable(await ask())).toBe(true)
          }),
          { numRuns: ANY_JSON_RUN_COUNT },
        )
        expect((await checkLedger({ database: getDatabase() })).differences).toEqual([])
      },
      TIMEOUT_MS,
    )

    test(
      'and neither credits nor loses anything',
      async () => {
        await fc.assert(
          fc.asyncProperty(damages(fc.constantFrom(...NONSENSE)), async damage => {
            const shop = await openShop()
            const invoice = await shop.createInvoice('10', liar.methodId)
            const check = async (delivery: Delivery) => {
              await whileLying(damage, () => shop.payments.recheckInvoice(invoice))
              await whileLying(damage, () => deliver(shop, delivery))
            }
            const paid = liar.pay(invoice)
            await check(paid)
            expect([0n, 10n * DOLLAR]).toContain(await shop.balanceNano())
            await shop.payments.recheckInvoice(invoice)
            expect(await shop.balanceNano()).toBe(10n * DOLLAR)
            if (!liar.refundHalf) return
            const refunded = liar.refundHalf(invoice)
            await check(refunded)
            expect([5n * DOLLAR, 10n * DOLLAR]).toContain(await shop.balanceNano())
            await deliver(shop, refunded)
            expect(await shop.balanceNano()).toBe(5n * DOLLAR)
          }),
          { numRuns: NONSENSE_RUN_COUNT },
        )
      },
      TIMEOUT_MS,
    )
  })
})

describeOnPostgres('what an adapter makes of an answer', getDatabase => {
  const openShop = () => openScriptedShop({ database: getDatabase() })
  const payment = { atInvoiceRateNano: DOLLAR, receivedInTime: true, settled: true }
  const dispute = { disputeId: 'du', amountNano: DOLLAR, state: 'withdrawn' } as const

  test.each<[string, Partial<Observation>]>([
    ['less than nothing', { paidNano: -1n }],
    ['more than anybody pays', { paidNano: TOLD_NANO_MAX + 1n }],
    ['a refund of less than nothing', { refundedNano: -1n }],
    ['a dispute of more than anybody pays', { disputes: [{ ...dispute, amountNano: TOLD_NANO_MAX + 1n }] }],
    ['a dispute that no database can store', { disputes: [{ ...dispute, disputeId: '\0' }] }],
    ['a payment of nothing', { bitcoinPayments: [{ ...payment, paymentId: 'p', bitcoin: decimal('0') }] }],
    [
      'one that cannot be stored',
      { bitcoinPayments: [{ ...payment, paymentId: '\0', bitcoin: decimal('1') }] },
    ],
  ])('is not believed if it is %s', async (_, told) => {
    const shop = await openShop()
    const { gatewayInvoiceId } = await shop.createInvoice('1')
    shop.gateway.tell(gatewayInvoiceId, told)
    await expect(shop.deliver(gatewayInvoiceId)).rejects.toThrow(GatewayError)
    expect(await shop.balanceNano()).toBe(0n)
  })

  test.each<[string, Partial<GatewayInvoice>]>([
    ['an id that cannot be stored', { gatewayInvoiceId: '\0' }],
    ['a script for a page', { checkoutUrl: 'javascript:alert(1)' }],
    ['more than an invoice in it', { lightningInvoice: 'lnbc1?amount=1' }],
    ['nothing to pay', { bitcoinDue: decimal('0') }],
    ['no time of expiry', { expiresAt: new Date(Number.NaN) }],
  ])('is no invoice with %s', async (_, told) => {
    const shop = await openShop()
    const { createInvoice } = shop.gateway
    shop.gateway.createInvoice = async request => ({ ...(await createInvoice(request)), ...told })
    await expect(shop.createInvoice('1')).rejects.toThrow(GatewayError)
  })

  test('is no refund of less than nothing', async () => {
    const shop = await openShop()
    const { gatewayInvoiceId } = await shop.createInvoice('1')
    shop.gateway.tell(gatewayInvoiceId, { state: 'Settled', paidNano: DOLLAR })
    shop.gateway.fetchRefunds = async () => [{ refundId: 'r', usd: decimal('-1'), bitcoin: null }]
    await expect(shop.deliver(gatewayInvoiceId)).rejects.toThrow(GatewayError)
    expect(await shop.balanceNano()).toBe(DOLLAR)
  })
})
