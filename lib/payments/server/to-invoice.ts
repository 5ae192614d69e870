import 'server-only'
import type { Selectable } from 'kysely'
import { GATEWAYS } from '../domain/gateway'
import type { Invoice } from '../domain/invoice'
import { isInvoiceState } from '../domain/invoice-states'
import { CURRENCIES, METHOD_IDS } from '../domain/payment-method'
import { type InvoiceTable, storedDecimal } from './payment-tables'

/** @throws Error when the row is none that this program wrote */
export function toInvoice(row: Selectable<InvoiceTable>): Invoice {
  if (!isInvoiceState(row.state)) throw new Error('An invoice in the database has an unknown state.')
  return {
    invoiceId: row.id,
    accountId: row.account_id,
    gatewayId: member(GATEWAYS, row.gateway),
    gatewayInvoiceId: row.gateway_invoice_id,
    methodId: member(METHOD_IDS, row.method),
    requestedAmount: storedDecimal(row.requested_amount),
    requestedCurrency: member(CURRENCIES, row.requested_currency),
    amountNano: row.amount_nano,
    bonusFraction: storedDecimal(row.bonus_fraction),
    state: row.state,
    paidLate: row.paid_late,
    paidNano: row.paid_nano,
    inTimeNano: row.in_time_nano,
    maximumNano: row.maximum_nano,
    approvedNano: row.approved_nano,
    claimedNano: row.claimed_nano,
    creditedNano: row.credited_nano,
    bonusClaimedNano: row.bonus_claimed_nano,
    bonusNano: row.bonus_nano,
    refundSeenNano: row.refund_seen_nano,
    reversalClaimedNano: row.reversal_claimed_nano,
    reversedNano: row.reversed_nano,
    reversalBonusClaimedNano: row.reversal_bonus_claimed_nano,
    reversedBonusNano: row.reversed_bonus_nano,
    reversalCount: row.reversal_count,
    checkoutUrl: row.checkout_url,
    lightningInvoice: row.lightning_invoice,
    bitcoinAddress: row.bitcoin_address,
    bitcoinDue: row.bitcoin_due === null ? null : storedDecimal(row.bitcoin_due),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  }
}

function member<Name extends string>(names: readonly Name[], text: string): Name {
  const found = names.find(name => name === text)
  if (found === undefined) throw new Error('An invoice in the database has an unknown name in it.')
  return found
}
