import 'server-only'
import { formatDecimal } from '@/lib/money/decimal'
import { formatUsd } from '@/lib/money/nano'
import { toBitcoin } from '../../domain/convert-amount'
import type { GatewayInvoiceRequest } from '../../domain/gateway'

/** A payment on the chain may come weeks late, and is still somebody's money. */
const MONITORING_MINUTES = 30 * 24 * 60

/**
 * `CreateInvoiceRequest`. An amount in bitcoin stays one, so that exactly these satoshis are asked for.
 * `lazyPaymentMethods: false` makes the BOLT11 exist when the invoice does.
 */
export function convertInvoiceRequest(request: GatewayInvoiceRequest, paymentMethodId: string) {
  return {
    ...amountOf(request),
    metadata: { orderId: request.invoiceId },
    checkout: {
      paymentMethods: [paymentMethodId],
      expirationMinutes: Math.ceil(request.expirySeconds / 60),
      monitoringMinutes: MONITORING_MINUTES,
      lazyPaymentMethods: false,
      redirectURL: request.returnUrl,
    },
  }
}

function amountOf({ amountNano, requested }: GatewayInvoiceRequest): { amount: string; currency: string } {
  const { amount, currency } = requested
  if (currency === 'USD') return { amount: formatUsd(amountNano), currency }
  return { amount: formatDecimal(toBitcoin(amount, currency)), currency: 'BTC' }
}
