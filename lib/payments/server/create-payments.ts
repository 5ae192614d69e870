import 'server-only'
import { randomUUID } from 'node:crypto'
import type { Database } from '@/lib/db/database'
import type { Ledger } from '@/lib/ledger/domain/ledger'
import type { Decimal } from '@/lib/money/decimal'
import type { Gateway } from '../domain/gateway'
import type { MethodId } from '../domain/payment-method'
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
import { reconcileInvoices } from './reconcile'

export interface CreatePaymentsInput {
  database: Database
  ledger: Pick<Ledger, 'credit' | 'reverse'>
  /** In order of preference: a method is served by the first one that has it. */
  gateways: readonly Gateway[]
  /** Per method: 0.05 adds five percent to the payment. */
  bonuses?: Partial<Record<MethodId, Decimal>>
}

export function createPayments(input: CreatePaymentsInput): Payments {
  const context: PaymentsContext = {
    database: input.database.kysely.withTables<PaymentTables>(),
    ledger: input.ledger,
    gateways: input.gateways,
    bonuses: input.bonuses ?? {},
    createId: randomUUID,
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
