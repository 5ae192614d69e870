import 'server-only'
import { GatewayError } from '../domain/gateway'
import type { Invoice } from '../domain/invoice'
import type { Payments } from '../domain/payments'
import { PAYMENTS_WIRE } from '../domain/payments-wire'
import { askPaymentsHost, type PaymentsHost } from './ask-payments-host'
import { checkCreated, checkSameInvoice } from './check-answer'

const NOTHING_RECONCILED = { checkedCount: 0, failedCount: 0, creditedNano: 0n }

/**
 * Payments that another deployment takes (`PAYMENTS_HOST`). It has the gateways, so their webhooks go there,
 * and it reconciles and watches by itself.
 */
export function createHostPayments(host: PaymentsHost): Payments {
  const { listMethods, createInvoice, getInvoice, findInvoice, recheckInvoice, paySandboxInvoice } =
    PAYMENTS_WIRE
  return {
    listMethods: () => askPaymentsHost(host, { name: 'listMethods', wire: listMethods }, {}),
    createInvoice: async input =>
      checkCreated(input, await askPaymentsHost(host, { name: 'createInvoice', wire: createInvoice }, input)),
    getInvoice: async input =>
      checkSameInvoice(input, await askPaymentsHost(host, { name: 'getInvoice', wire: getInvoice }, input)),
    findInvoice: async input =>
      checkSameInvoice(input, await askPaymentsHost(host, { name: 'findInvoice', wire: findInvoice }, input)),
    recheckInvoice: async input =>
      checkSameInvoice(
        input,
        await askPaymentsHost(host, { name: 'recheckInvoice', wire: recheckInvoice }, input),
      ),
    paySandboxInvoice: async input => {
      const wire = { name: 'paySandboxInvoice', wire: paySandboxInvoice }
      return sandboxOnly(checkSameInvoice(input, await askPaymentsHost(host, wire, input)))
    },
    listUnderReview: refuse,
    creditRest: refuse,
    handleWebhook: async () => ({ outcome: 'absent' }),
    reconcile: async () => NOTHING_RECONCILED,
    watch: async () => ({ stop: () => {} }),
  }
}

function sandboxOnly(invoice: Invoice | null): Invoice | null {
  return invoice?.gatewayId === 'sandbox' ? invoice : null
}

async function refuse(): Promise<never> {
  throw new GatewayError('This deployment takes no payments: run this command where PAYMENTS_HOST points.')
}
