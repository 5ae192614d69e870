import 'server-only'
import type { Gateway } from '../domain/gateway'
import { findGatewayInvoice } from './find-invoice'
import { observeInvoice } from './observe-invoice'
import type { PaymentsContext } from './payments-context'

/**
 * Looks at an invoice as soon as its gateway tells of a payment. News that are missed, and gateways
 * that cannot be listened to, are left to polling.
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
  const look = async (gatewayInvoiceId: string) => {
    const invoice = await findGatewayInvoice(context.database, { gatewayId: gateway.id, gatewayInvoiceId })
    if (invoice) await observeInvoice(context, invoice)
  }
  try {
    const stop = await gateway.watch?.(gatewayInvoiceId => {
      look(gatewayInvoiceId).catch(report)
    })
    return stop ?? (() => {})
  } catch (error) {
    report(error)
    return () => {}
  }
}

function report(error: unknown): void {
  process.stderr.write(`payments: watching failed (${error instanceof Error ? error.name : 'unknown'})\n`)
}
