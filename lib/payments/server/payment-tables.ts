import 'server-only'
import type { Generated, Kysely } from 'kysely'
import { type Decimal, parseDecimal } from '@/lib/money/decimal'

export interface InvoiceTable {
  id: string
  account_id: string
  gateway: string
  gateway_invoice_id: string
  method: string
  requested_amount: string
  requested_currency: string
  amount_nano: bigint
  bonus_fraction: string
  state: Generated<string>
  paid_late: Generated<boolean>
  paid_nano: Generated<bigint>
  in_time_nano: Generated<bigint>
  maximum_nano: bigint
  approved_nano: Generated<bigint>
  approved_by: string | null
  approved_reason: string | null
  claimed_nano: Generated<bigint>
  credited_nano: Generated<bigint>
  bonus_claimed_nano: Generated<bigint>
  bonus_nano: Generated<bigint>
  refund_seen_nano: Generated<bigint>
  reversal_claimed_nano: Generated<bigint>
  reversed_nano: Generated<bigint>
  reversal_bonus_claimed_nano: Generated<bigint>
  reversed_bonus_nano: Generated<bigint>
  reversal_count: Generated<number>
  checkout_url: string | null
  lightning_invoice: string | null
  bitcoin_address: string | null
  bitcoin_due: string | null
  created_at: Generated<Date>
  expires_at: Date
  updated_at: Generated<Date>
  checked_at: Date | null
  /** Null once no more checks are needed. */
  next_check_at: Date | null
}

interface InvoicePaymentTable {
  invoice_id: string
  payment_id: string
  /** Of a gateway, each payment is of one invoice; null for a total. The database writes it (bind_payment). */
  gateway: Generated<string | null>
  bitcoin: string
  in_time: boolean
  at_invoice_rate_nano: bigint
  usd_per_bitcoin: string | null
  /** Null until the payment is final; fixed from then on. */
  worth_nano: bigint | null
}

interface InvoiceRefundTable {
  invoice_id: string
  refund_id: string
  /** Zero for a refund in dollars. */
  bitcoin: string
  worth_nano: bigint
}

interface InvoiceDisputeTable {
  gateway: string
  dispute_id: string
  invoice_id: string
  amount_nano: bigint
  /** The dispute was won: the bank returned the money. */
  returned: Generated<boolean>
}

interface SandboxPaymentTable {
  id: Generated<string>
  gateway_invoice_id: string
  amount_nano: bigint
  paid_at: Generated<Date>
}

/** A type alias, because Kysely does not accept an interface here. */
export type PaymentTables = {
  invoice: InvoiceTable
  invoice_payment: InvoicePaymentTable
  invoice_refund: InvoiceRefundTable
  invoice_dispute: InvoiceDisputeTable
  sandbox_payment: SandboxPaymentTable
}

export type PaymentDatabase = Kysely<PaymentTables>

/** @throws Error if this program cannot have written the text */
export function storedDecimal(text: string): Decimal {
  const parsed = parseDecimal(text)
  if (!parsed) throw new Error('A payment in the database has a malformed amount.')
  return parsed
}
