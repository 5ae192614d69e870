import 'server-only'
import { compare } from '@/lib/money/decimal'
import { toNano } from '../domain/convert-amount'
import { GatewayError } from '../domain/gateway'
import type { Invoice } from '../domain/invoice'
import type { CreateInvoiceInput, CreateInvoiceResult } from '../domain/payments'

/** An invoice that was not asked for, or is another account's, is not shown to anybody. @throws GatewayError */
export function checkSameInvoice(
  asked: { invoiceId: string; accountId?: string },
  invoice: Invoice | null,
): Invoice | null {
  if (invoice === null) return null
  const isSame = invoice.invoiceId.toLowerCase() === asked.invoiceId.toLowerCase()
  const isOwned = asked.accountId === undefined || invoice.accountId === asked.accountId
  if (isSame && isOwned) return invoice
  throw new GatewayError('The payments host answered with an invoice that was not asked for.')
}

/** Whoever pays the new invoice pays what they asked to pay, into the account they named. @throws GatewayError */
export function checkCreated(asked: CreateInvoiceInput, result: CreateInvoiceResult): CreateInvoiceResult {
  if (result.outcome !== 'created' || isAsAsked(asked, result.invoice)) return result
  throw new GatewayError('The payments host made another invoice than was asked for.')
}

function isAsAsked(asked: CreateInvoiceInput, invoice: Invoice): boolean {
  return (
    invoice.accountId === asked.accountId &&
    invoice.methodId === asked.methodId &&
    invoice.requestedCurrency === asked.currency &&
    compare(invoice.requestedAmount, asked.amount) === 0 &&
    (asked.currency !== 'USD' || invoice.amountNano === toNano(asked.amount, 'USD', null))
  )
}
