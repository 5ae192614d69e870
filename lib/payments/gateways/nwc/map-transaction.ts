import 'server-only'
import { z } from 'zod'
import type { Nano } from '@/lib/money/nano'
import { GatewayError, type Observation } from '../../domain/gateway'
import type { InvoiceState } from '../../domain/invoice-states'

/** A NIP-47 transaction. Older wallets send no `state`; times are unix seconds, amounts millisatoshis. */
const transactionSchema = z.object({
  type: z.string().nullish(),
  state: z.string().nullish(),
  invoice: z.string().nullish(),
  payment_hash: z.string().regex(/^[0-9a-f]{64}$/i),
  amount: z.number().int().nonnegative().nullish(),
  settled_at: z.number().nullish(),
  expires_at: z.number().nullish(),
})

export type NwcTransaction = z.output<typeof transactionSchema>

/** @throws GatewayError when it is none */
export function parseTransaction(answer: unknown): NwcTransaction {
  const parsed = transactionSchema.safeParse(answer)
  if (parsed.success) return parsed.data
  throw new GatewayError('The Lightning wallet answered with something that is no transaction.')
}

/** A Lightning invoice is paid in full or not at all. Whether time is over is for the database to say. */
export function mapTransaction(transaction: NwcTransaction, amountNano: Nano): Observation {
  const { settled_at: settledAt, expires_at: expiresAt } = transaction
  const state = mapState(transaction)
  return {
    state,
    paidNano: state === 'Settled' ? amountNano : 0n,
    paidLate: Boolean(settledAt && expiresAt && settledAt > expiresAt),
    refundedNano: 0n,
    disputes: [],
  }
}

function mapState({ state, settled_at: settledAt, type }: NwcTransaction): InvoiceState {
  // Money that went out says nothing about money that came in.
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
