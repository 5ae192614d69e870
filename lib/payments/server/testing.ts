import 'server-only'
import { randomUUID } from 'node:crypto'
import type { Database } from '@/lib/db/database'
import type { Ledger } from '@/lib/ledger/domain/ledger'
import { createEmbeddedLedger } from '@/lib/ledger/server/embedded-ledger'
import { type Decimal, parseDecimal } from '@/lib/money/decimal'
import { maxNano, type Nano } from '@/lib/money/nano'
import { totalsOf, valueArrivals } from '../domain/arrivals'
import type { Gateway, GatewayId, Observation } from '../domain/gateway'
import { LIGHTNING_METHOD } from '../domain/offered-methods'
import type { MethodId } from '../domain/payment-method'
import type { Payments } from '../domain/payments'
import { type CreatePaymentsInput, createPayments } from './create-payments'

export function decimal(text: string): Decimal {
  const parsed = parseDecimal(text)
  if (!parsed) throw new Error(`not a decimal: ${text}`)
  return parsed
}

const NOTHING_SEEN: Observation = {
  state: 'New',
  paidNano: 0n,
  inTimeNano: 0n,
  paidLate: false,
  bitcoinPayments: [],
  gatewayTotalNano: null,
  refundedNano: 0n,
  disputes: [],
}

/** A gateway that reports whatever the test last told it, per invoice. */
export function scriptedGateway(id: GatewayId = 'btcpay'): Gateway & {
  tell(gatewayInvoiceId: string, seen: Partial<Observation>): void
} {
  const observations = new Map<string, Observation>()
  return {
    id,
    methods: [LIGHTNING_METHOD],
    getUsdPerBitcoin: async () => decimal('100000'),
    createInvoice: async ({ invoiceId }) => {
      const gatewayInvoiceId = `scripted-${invoiceId}`
      observations.set(gatewayInvoiceId, NOTHING_SEEN)
      return {
        gatewayInvoiceId,
        checkoutUrl: null,
        lightningInvoice: 'lnbc1scripted',
        bitcoinAddress: null,
        bitcoinDue: null,
        expiresAt: null,
      }
    },
    fetchInvoice: async ({ gatewayInvoiceId }) => observations.get(gatewayInvoiceId) ?? null,
    verifyWebhook: async ({ rawBody }) => ({
      gatewayInvoiceId: new TextDecoder().decode(rawBody),
      totals: null,
    }),
    tell: (gatewayInvoiceId, seen) => {
      const before = observations.get(gatewayInvoiceId) ?? NOTHING_SEEN
      // In time, unless the test says otherwise.
      const inTimeNano = seen.paidLate ? before.inTimeNano : (seen.paidNano ?? before.inTimeNano)
      observations.set(gatewayInvoiceId, { ...before, inTimeNano, ...seen })
    },
  }
}

/** An account without money, and payments into it. */
export async function createPaymentsForTest(
  input: Omit<CreatePaymentsInput, 'ledger' | 'database'> & { database: Database; ledger?: Ledger },
) {
  const ledger = input.ledger ?? createEmbeddedLedger({ database: input.database })
  const payments: Payments = createPayments({ ...input, ledger })
  const credential = { kind: 'credit_id', secretHash: randomHash() } as const
  const { accountId } = await ledger.createAccount({
    creditIdHash: credential.secretHash,
    firstKey: null,
    attribution: null,
  })
  return {
    payments,
    ledger,
    accountId,
    credential,
    balanceNano: async () => (await ledger.getBalance({ credential }))?.balanceNano,
    /** A webhook of BTCPay Server's; that of a scripted gateway is the id of the invoice. */
    deliver: (rawBody: string, headers: Record<string, string> = {}) =>
      payments.handleWebhook({
        gatewayId: 'btcpay',
        rawBody: new TextEncoder().encode(rawBody),
        headers: new Headers(headers),
      }),
    /** An open invoice over some dollars. */
    createInvoice: async (dollars: string, methodId: MethodId = 'btc-lightning') => {
      const result = await payments.createInvoice({
        accountId,
        methodId,
        amount: decimal(dollars),
        currency: 'USD',
        siteUrl: 'https://site.test',
      })
      if (result.outcome !== 'created') throw new Error(`no invoice: ${result.outcome}`)
      return result.invoice
    },
  }
}

/** The same with a gateway to be scripted; the bonus is that of Lightning. */
export async function openScriptedShop({
  bonus,
  ...input
}: {
  database: Database
  ledger?: Ledger
  bonus?: string
}) {
  const gateway = scriptedGateway()
  const bonuses = bonus ? { 'btc-lightning': decimal(bonus) } : {}
  const shop = await createPaymentsForTest({ ...input, gateways: [gateway], bonuses })
  return { ...shop, gateway }
}

export function randomHash(): string {
  return (randomUUID() + randomUUID()).replaceAll('-', '')
}

/** The value of an observation by itself, at the rate in the example of BTCPay's documentation. */
export function countObservation(
  observation: Observation,
  input: { amountNano: Nano; usdPerBitcoin?: Decimal | null; isRateKept?: boolean },
) {
  const { bitcoinPayments: payments, gatewayTotalNano } = observation
  const usdPerBitcoin = input.usdPerBitcoin === undefined ? decimal('64392.23') : input.usdPerBitcoin
  const { amountNano, isRateKept = true } = input
  const { arrivals } = valueArrivals({
    amountNano,
    payments,
    known: [],
    isRateKept,
    gatewayTotalNano,
    usdPerBitcoin,
  })
  const counted = totalsOf(arrivals)
  return { ...observation, paidNano: maxNano(observation.paidNano, counted.paidNano) }
}
