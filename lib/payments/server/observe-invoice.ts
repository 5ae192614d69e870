import 'server-only'
import { formatUsd, maxNano } from '@/lib/money/nano'
import { GatewayError, type Observation, type WebhookNotice } from '../domain/gateway'
import { type Invoice, restNano } from '../domain/invoice'
import { creditInvoice } from './credit-invoice'
import { findInvoice } from './find-invoice'
import { findGateway, type PaymentsContext } from './payments-context'
import { recordObservation } from './record-observation'
import { recordRefunds } from './record-refunds'
import { reversePayment } from './reverse-payment'

/**
 * Asks the gateway what really happened and makes the ledger agree with it. Webhooks, status requests
 * and reconciling all end here; any number of them may at once.
 * @throws GatewayError when the gateway cannot be asked
 */
export async function observeInvoice(
  context: PaymentsContext,
  invoice: Invoice,
  told: WebhookNotice['told'] = null,
): Promise<Invoice> {
  const gateway = findGateway(context, invoice.gatewayId)
  const observation = await gateway?.fetchInvoice(invoice)
  const joined = observation && (told ? join(observation, told) : observation)
  const isAllCounted = !gateway || !joined || (await recordObservation(context, gateway, invoice, joined))
  await creditInvoice(context, invoice.invoiceId)
  try {
    // What is not counted yet may be what was given back.
    if (gateway && isAllCounted) await recordRefunds(context, gateway, invoice.invoiceId)
  } finally {
    await reversePayment(context, invoice.invoiceId)
  }
  if (!isAllCounted) throw new GatewayError('Bitcoin arrived, and no rate of it is known now.')
  const seen = (await findInvoice(context.database, invoice.invoiceId)) ?? invoice
  if (restNano(seen) > restNano(invoice)) tellOperator(seen)
  return seen
}

function tellOperator(invoice: Invoice): void {
  const usd = formatUsd(restNano(invoice))
  process.stderr.write(
    `payments: ${usd} USD arrived beyond what invoice ${invoice.invoiceId} is credited without asking; see npm run ops -- invoice waiting\n`,
  )
}

/** Totals carried by a signed event may be newer than what the gateway's API already shows. */
function join(observation: Observation, told: NonNullable<WebhookNotice['told']>): Observation {
  return {
    ...observation,
    refundedNano: maxNano(told.refundedNano, observation.refundedNano),
    disputes: [...observation.disputes, ...told.disputes],
  }
}
