import 'server-only'
import type { Database } from '@/lib/db/database'
import type { Payments } from '../domain/payments'
import { findInvoice } from './invoice-rows'
import {
  createInvoice,
  creditRest,
  getInvoice,
  listMethods,
  listUnderReview,
  paySandboxInvoice,
  recheckInvoice,
} from './invoices'
import { handleWebhook, watch } from './observe-invoice'
import type { PaymentTables } from './payment-tables'
import type { PaymentsContext } from './payments-context'
import { believeGateway } from './read-answer'
import { reconcileInvoices } from './reconcile'

export type CreatePaymentsInput = Pick<PaymentsContext, 'ledger' | 'gateways'> &
  Partial<Pick<PaymentsContext, 'bonuses'>> & { database: Database }

export function createPayments({ database, ledger, gateways, bonuses = {} }: CreatePaymentsInput): Payments {
  const context: PaymentsContext = {
    ledger,
    gateways: gateways.map(believeGateway),
    bonuses,
    database: database.kysely.withTables<PaymentTables>(),
  }
  return {
    listMethods: () => listMethods(context),
    createInvoice: request => createInvoice(context, request),
    getInvoice: request => getInvoice(context, request),
    findInvoice: ({ invoiceId }) => findInvoice(context.database, invoiceId),
    recheckInvoice: request => recheckInvoice(context, request),
    listUnderReview: () => listUnderReview(context.database),
    creditRest: request => creditRest(context, request),
    handleWebhook: request => handleWebhook(context, request),
    reconcile: request => reconcileInvoices(context, request),
    watch: () => watch(context),
    paySandboxInvoice: request => paySandboxInvoice(context, request),
  }
}
