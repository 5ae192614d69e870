import 'server-only'
import { randomUUID } from 'node:crypto'
import type { Database } from '@/lib/db/database'
import type { Ledger } from '@/lib/ledger/domain/ledger'
import type { Decimal } from '@/lib/money/decimal'
import type { Gateway } from '../domain/gateway'
import type { MethodId } from '../domain/payment-method'
import type { Payments } from '../domain/payments'
import { createInvoice } from './create-invoice'
import { creditRest, listUnderReview } from './credit-rest'
import { findInvoice } from './find-invoice'
import { getInvoiceStatus } from './get-invoice-status'
import { handleWebhook } from './handle-webhook'
import { listMethods } from './list-methods'
import { paySandboxInvoice } from './pay-sandbox-invoice'
import type { PaymentTables } from './payment-tables'
import type { PaymentsContext } from './payments-context'
import { recheckInvoice } from './recheck-invoice'
import { reconcile } from './reconcile'
import { watch } from './watch'

export interface CreatePaymentsInput {
  database: Database
  ledger: Pick<Ledger, 'credit' | 'reverse'>
  /** In order of preference: the first one that has a method serves it. */
  gateways: readonly Gateway[]
  /** Per method: 0.05 adds five percent to what was paid. */
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
    getInvoice: request => getInvoiceStatus(context, request),
    findInvoice: ({ invoiceId }) => findInvoice(context.database, invoiceId),
    recheckInvoice: request => recheckInvoice(context, request),
    listUnderReview: () => listUnderReview(context.database),
    creditRest: request => creditRest(context, request),
    handleWebhook: request => handleWebhook(context, request),
    reconcile: request => reconcile(context, request),
    watch: () => watch(context),
    paySandboxInvoice: request => paySandboxInvoice(context, request),
  }
}
