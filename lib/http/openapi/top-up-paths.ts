import { listOf, NUMBER, object, oneOf, operation, pathParameter } from './operation'

const invoiceId = pathParameter('invoice_id', 'The invoice, from its creation.')

export const TOP_UP_PATHS = {
  '/topup/payment-methods': {
    get: operation({
      summary: 'List the ways to pay with their currencies, limits and bonus',
      security: 'public',
      answer: object({ supported_methods: listOf('PaymentMethod') }),
    }),
  },
  '/topup/create/{method}': {
    post: operation({
      summary: 'Create an invoice',
      parameters: [
        { ...pathParameter('method', 'How to pay.'), schema: oneOf('btc-lightning', 'btc', 'card') },
      ],
      body: object({ amount: NUMBER, 'currency?': oneOf('USD', 'SATS', 'BTC') }),
      answer: 'Invoice',
    }),
  },
  '/topup/status/{invoice_id}': {
    get: operation({
      summary: 'Get the state of an invoice',
      description: 'Late, partial and over-payments are credited with what arrived.',
      parameters: [invoiceId],
      answer: 'InvoiceStatus',
    }),
  },
}
