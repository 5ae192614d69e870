import 'server-only'
import type { Database } from '@/lib/db/database'
import type { Credential } from '@/lib/ledger/domain/accounts'
import type { CreditInput } from '@/lib/ledger/domain/credits'
import type { Ledger } from '@/lib/ledger/domain/ledger'
import { createEmbeddedLedger } from '@/lib/ledger/server/embedded-ledger'
import { createFundedAccount } from '@/lib/ledger/testing'
import type { Nano } from '@/lib/money/nano'
import { startBtcpayStandIn } from '@/test/stand-ins/btcpay'
import { startStripeStandIn } from '@/test/stand-ins/stripe'
import type { Gateway } from '../../domain/gateway'
import type { Invoice } from '../../domain/invoice'
import type { Payments } from '../../domain/payments'
import { createBtcpayGateway } from '../../gateways/btcpay/btcpay-gateway'
import { createStripeGateway } from '../../gateways/stripe/stripe-gateway'
import { createPayments } from '../create-payments'
import { databaseClock } from '../database-clock'
import type { PaymentTables } from '../payment-tables'
import { decimal } from '../testing'
import type { FakeClock } from './fake-clock'

const ACCOUNT_COUNT = 3

/** A webhook on its way; signed on arrival, because gateways sign each attempt anew. */
export interface Letter {
  gatewayId: 'btcpay' | 'stripe'
  sign: () => { rawBody: string; headers: Record<string, string> }
}

/** One shop with its payers' gateways, and everything between them and the books. */
export interface World {
  clock: FakeClock
  database: Database
  btcpay: Awaited<ReturnType<typeof startBtcpayStandIn>>
  stripe: Awaited<ReturnType<typeof startStripeStandIn>>
  ledger: Ledger
  accounts: { accountId: string; credential: Credential }[]
  invoices: Invoice[]
  letters: Letter[]
  /** The server that is currently running. */
  payments: Payments
  /** Starts another server on the same database, without anything that this one had in memory. */
  restart(): void
  /** The next payment or refund that reaches the ledger kills its server, before or after it is written. */
  crashAt: 'before' | 'after' | null
  /** The refunds of each invoice there, in dollars or in bitcoin. */
  btcpayRefunds: Map<string, { cents: bigint; satoshis: bigint }[]>
  /** What the operator approved beyond the method's maximum, by invoice. */
  approvedNano: Map<string, Nano>
  /** What the ledger moved, by reference; negative amounts were taken back. */
  moves: Map<string, { invoiceId: string; source: string; amountNano: Nano }>
  spentNano: Map<string, Nano>
  /** New gateways, as a new server would create them. */
  createGateways(): Gateway[]
  close(): Promise<void>
}

export class Crash extends Error {
  override readonly name = 'Crash'
}

export async function createWorld(database: Database, clock: FakeClock): Promise<World> {
  const now = clock.nowSeconds
  const [btcpay, stripe] = await Promise.all([startBtcpayStandIn({ now }), startStripeStandIn({ now })])
  const ledger = createEmbeddedLedger({ database })
  const accounts = await Promise.all(
    Array.from({ length: ACCOUNT_COUNT }, () => createFundedAccount(ledger, 0n)),
  )
  const createGateways = () => [
    createBtcpayGateway(btcpay.settings, () => now() * 1000),
    createStripeGateway({
      ...stripe.settings,
      productName: 'Tuppence credit',
      now: databaseClock(database.kysely.withTables<PaymentTables>()),
    }),
  ]
  const start = () =>
    createPayments({
      database,
      ledger: {
        ...ledger,
        credit: crashing(async input => {
          const result = await ledger.credit(input)
          if (result.outcome === 'credited') note(input, input.amountNano)
          return result
        }),
        reverse: crashing(async input => {
          const result = await ledger.reverse(input)
          if (result.outcome === 'reversed') note(input, -input.amountNano)
          return result
        }),
      },
      gateways: createGateways(),
      bonuses: { 'btc-lightning': decimal('0.05'), btc: decimal('0.001'), card: decimal('0.033') },
    })
  function note({ reference, source, memo }: CreditInput, amountNano: Nano) {
    const invoiceId = memo.invoice_id ?? ''
    if (world.moves.has(reference)) throw new TypeError(`${reference} was moved twice.`)
    world.moves.set(reference, { invoiceId, source, amountNano })
  }
  function crashing<Input, Output>(move: (input: Input) => Promise<Output>) {
    return async (input: Input): Promise<Output> => {
      const { crashAt } = world
      world.crashAt = null
      if (crashAt === 'before') throw new Crash('before the ledger was asked')
      const output = await move(input)
      if (crashAt === 'after') throw new Crash('after the ledger had answered')
      return output
    }
  }
  const world: World = {
    clock,
    database,
    btcpay,
    stripe,
    ledger,
    accounts,
    invoices: [],
    letters: [],
    payments: start(),
    restart() {
      world.payments = start()
    },
    crashAt: null,
    btcpayRefunds: new Map(),
    approvedNano: new Map(),
    moves: new Map(),
    spentNano: new Map(),
    createGateways,
    async close() {
      await Promise.all([btcpay.stop(), stripe.stop()])
    },
  }
  return world
}
