import 'server-only'
import { z } from 'zod'
import type { Decimal } from '@/lib/money/decimal'
import type { Nano } from '@/lib/money/nano'
import { millisatoshisToBitcoin, partOf } from '../../domain/convert-amount'
import { type BitcoinPayment, GatewayError, type Observation } from '../../domain/gateway'
import type { InvoiceState } from '../../domain/invoice-states'
import { answeredSeconds, readAnswer } from '../../server/read-answer'

/** A NIP-47 transaction. Older wallets send no `state`; times are Unix seconds, amounts millisatoshis. */
const transactionSchema = z.object({
  type: z.string().nullish(),
  state: z.string().nullish(),
  invoice: z.string().nullish(),
  payment_hash: z.string().regex(/^[0-9a-f]{64}$/i),
  amount: z.number().int().nonnegative().nullish(),
  created_at: answeredSeconds.nullish(),
  settled_at: answeredSeconds.nullish(),
  expires_at: answeredSeconds.nullish(),
})

/** Other payments than those to us may be listed, in forms of their own. */
const listSchema = z.object({ transactions: z.array(z.unknown()) })

const WHOSE = 'The Lightning wallet'

export type NwcTransaction = z.output<typeof transactionSchema>

/** @throws GatewayError if the answer is not a transaction */
export function parseTransaction(answer: unknown): NwcTransaction {
  return readAnswer(transactionSchema, answer, WHOSE)
}

/**
 * The payment of an invoice in an answer to `list_transactions`, which lists only what was paid; null if it has none.
 * @throws GatewayError if the answer is not a list
 */
export function findPayment(paymentHash: string, answer: unknown): NwcTransaction | null {
  const listed = readAnswer(listSchema, answer, WHOSE).transactions.flatMap(
    each => transactionSchema.safeParse(each).data ?? [],
  )
  const isIt = ({ type, payment_hash: hash }: NwcTransaction) =>
    type !== 'outgoing' && hash.toLowerCase() === paymentHash
  return listed.find(isIt) ?? null
}

/**
 * Whether an answer about an invoice says the same whether it was paid or not. Some wallets tell no state, and the time
 * of creation as that of settlement: LNbits for every invoice that is no longer pending, the expired ones included, and
 * Minibits for all. And of a payment that a wallet made to itself, Alby Hub shows the outgoing side.
 */
export function isPaymentUntold(transaction: NwcTransaction): boolean {
  const { type, state, created_at: createdAt, settled_at: settledAt } = transaction
  if (type === 'outgoing') return state === 'settled' || (!state && Boolean(settledAt))
  return !state && Boolean(createdAt && settledAt && settledAt <= createdAt)
}

/**
 * What a settled transaction received, which may be more than requested: Lightning lets a wallet send up to twice the
 * amount. Without an amount, it counts as exactly what was requested. Whether the invoice has expired is left to the
 * database.
 */
export function mapTransaction(
  transaction: NwcTransaction,
  asked: { amountNano: Nano; bitcoinDue: Decimal | null },
): Observation {
  const state = mapState(transaction)
  const payment = state === 'Settled' ? mapPayment(transaction, asked) : null
  return {
    state,
    paidNano: 0n,
    inTimeNano: 0n,
    paidLate: payment?.receivedInTime === false,
    bitcoinPayments: payment ? [payment] : [],
    gatewayTotalNano: null,
    refundedNano: 0n,
    disputes: [],
  }
}

/** @throws GatewayError if the amount in bitcoin is known to neither side */
function mapPayment(
  { payment_hash, amount, settled_at: settledAt, expires_at: expiresAt }: NwcTransaction,
  asked: { amountNano: Nano; bitcoinDue: Decimal | null },
): BitcoinPayment {
  const due = asked.bitcoinDue
  const bitcoin = amount ? millisatoshisToBitcoin(amount) : due
  if (!due || !bitcoin) throw new GatewayError('The Lightning wallet did not say how much was paid.')
  return {
    paymentId: payment_hash.toLowerCase(),
    bitcoin,
    atInvoiceRateNano: partOf(asked.amountNano, bitcoin, due),
    receivedInTime: !(settledAt && expiresAt && settledAt > expiresAt),
    settled: true,
  }
}

function mapState({ state, settled_at: settledAt, type }: NwcTransaction): InvoiceState {
  // An outgoing payment says nothing about incoming money.
  if (type === 'outgoing') return 'New'
  switch (state) {
    case 'settled':
      return 'Settled'
    case 'accepted':
      return 'Processing'
    case 'failed':
    case 'expired':
      return 'Expired'
    case 'pending':
      return 'New'
    default:
      return settledAt ? 'Settled' : 'New'
  }
}
