import { formatDecimal } from '@/lib/money/decimal'
import { nanoToUsdNumber } from '@/lib/money/nano'
import { additionalStatus, type Invoice, restNano } from '@/lib/payments/domain/invoice'

/** The fields that PayPerQ's clients know of a new invoice; times are unix seconds, bitcoin is a number. */
export function invoiceResponse(invoice: Invoice) {
  return {
    invoice_id: invoice.invoiceId,
    created_at: unixSeconds(invoice.createdAt),
    expires_at: unixSeconds(invoice.expiresAt),
    method: invoice.methodId,
    amount: Number(formatDecimal(invoice.requestedAmount)),
    currency: invoice.requestedCurrency,
    amount_usd: nanoToUsdNumber(invoice.amountNano),
    checkout_url: invoice.checkoutUrl,
    lightning_invoice: invoice.lightningInvoice,
    address: invoice.bitcoinAddress,
    crypto_amount_due: invoice.bitcoinDue && Number(formatDecimal(invoice.bitcoinDue)),
    sandbox: invoice.gatewayId === 'sandbox',
  }
}

export function invoiceStatusResponse(invoice: Invoice) {
  return {
    ...invoiceResponse(invoice),
    status: invoice.state,
    additional_status: additionalStatus(invoice),
    amount_paid: amountPaid(invoice),
    paid_usd: nanoToUsdNumber(invoice.paidNano),
    credited_usd: nanoToUsdNumber(invoice.creditedNano + invoice.bonusNano),
    uncredited_usd: nanoToUsdNumber(restNano(invoice)),
    bonus_usd: nanoToUsdNumber(invoice.bonusNano),
    refunded_usd: nanoToUsdNumber(invoice.reversedNano),
  }
}

/** In the currency that was asked for, at the invoice's own rate, rounded down to what that currency has. */
function amountPaid({ requestedAmount, requestedCurrency, paidNano, amountNano }: Invoice): number {
  const scale = { USD: 2, SATS: 0, BTC: 8 }[requestedCurrency]
  const requested = requestedAmount.coefficient * 10n ** BigInt(scale - requestedAmount.scale)
  return Number(formatDecimal({ coefficient: (requested * paidNano) / amountNano, scale }))
}

function unixSeconds(time: Date): number {
  return Math.floor(time.getTime() / 1000)
}
