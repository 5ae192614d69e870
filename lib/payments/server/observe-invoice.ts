import 'server-only'
import { formatUsd, maxNano } from '@/lib/money/nano'
import { log } from '@/lib/observability/log'
import { type Gateway, GatewayError, type Observation, type WebhookNotice } from '../domain/gateway'
import { excessNano, type Invoice } from '../domain/invoice'
import type { WebhookInput, WebhookOutcome } from '../domain/payments'
import { creditInvoice } from './credit-invoice'
import { findGatewayInvoice, findInvoice } from './invoice-rows'
import { findGateway, type PaymentsContext } from './payments-context'
import { recordObservation } from './record-observation'
import { recordRefunds } from './record-refunds'
import { reversePayment } from './reverse-payment'

/**
 * Asks the gateway what really happened and makes the ledger match it. Webhooks, status requests and reconciling all
 * end here, any number of them at once.
 * @throws GatewayError if the gateway cannot be asked
 */
export async function observeInvoice(
  context: PaymentsContext,
  invoice: Invoice,
  signedTotals: WebhookNotice['totals'] = null,
): Promise<Invoice> {
  const gateway = findGateway(context, invoice.gatewayId)
  const observation = await gateway?.fetchInvoice(invoice)
  const joined = observation && (signedTotals ? join(observation, signedTotals) : observation)
  const isAllCounted = !gateway || !joined || (await recordObservation(context, gateway, invoice, joined))
  await creditInvoice(context, invoice.invoiceId)
  try {
    // A refund may be of a payment that is not counted yet.
    if (gateway && isAllCounted) await recordRefunds(context, gateway, invoice.invoiceId)
  } finally {
    await reversePayment(context, invoice.invoiceId)
  }
  if (!isAllCounted) throw new GatewayError('Bitcoin arrived, but no exchange rate is known at the moment.')
  const seen = (await findInvoice(context.database, invoice.invoiceId)) ?? invoice
  if (excessNano(seen) > excessNano(invoice)) reportExcess(seen)
  return seen
}

function reportExcess(invoice: Invoice): void {
  const usd = formatUsd(excessNano(invoice))
  log.warn(
    `${usd} USD arrived above the maximum that is credited automatically; see npm run ops -- invoice waiting`,
    {
      invoiceId: invoice.invoiceId,
    },
  )
}

/** The totals in a signed event may be newer than what the gateway's API shows. */
function join(observation: Observation, signedTotals: NonNullable<WebhookNotice['totals']>): Observation {
  return {
    ...observation,
    refundedNano: maxNano(signedTotals.refundedNano, observation.refundedNano),
    disputes: [...observation.disputes, ...signedTotals.disputes],
  }
}

/**
 * A webhook is only a signal: once it is verified, the gateway is asked what happened.
 * @throws GatewayError if it cannot be asked, so that it delivers again
 */
export async function handleWebhook(
  context: PaymentsContext,
  input: WebhookInput,
): Promise<{ outcome: WebhookOutcome }> {
  const gateway = findGateway(context, input.gatewayId)
  if (!gateway?.verifyWebhook) return { outcome: 'absent' }
  const notice = await gateway.verifyWebhook(input)
  if (!notice) return { outcome: 'refused' }
  if (notice.gatewayInvoiceId === null) return { outcome: 'ignored' }
  const invoice = await findGatewayInvoice(context.database, {
    gatewayId: gateway.id,
    gatewayInvoiceId: notice.gatewayInvoiceId,
  })
  // A gateway may serve other shops, too; an error would make it retry for hours.
  if (!invoice) return { outcome: 'ignored' }
  await observeInvoice(context, invoice, notice.totals)
  return { outcome: 'handled' }
}

/**
 * Checks an invoice as soon as its gateway announces a payment. Polling covers missed announcements, and gateways that
 * make none.
 */
export async function watch(context: PaymentsContext): Promise<{ stop: () => void }> {
  const stops = await Promise.all(context.gateways.map(gateway => watchGateway(context, gateway)))
  return {
    stop: () => {
      for (const stop of stops) stop()
    },
  }
}

async function watchGateway(context: PaymentsContext, gateway: Gateway): Promise<() => void> {
  const check = async (gatewayInvoiceId: string) => {
    const invoice = await findGatewayInvoice(context.database, { gatewayId: gateway.id, gatewayInvoiceId })
    if (invoice) await observeInvoice(context, invoice)
  }
  try {
    const stop = await gateway.watch?.(gatewayInvoiceId => {
      check(gatewayInvoiceId).catch(report)
    })
    return stop ?? (() => {})
  } catch (error) {
    report(error)
    return () => {}
  }
}

function report(error: unknown): void {
  log.warn('watching for payments failed', { error })
}
