import 'server-only'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { add, type Decimal, formatDecimal, multiply, ZERO } from '@/lib/money/decimal'
import { floorToNano, minNano, type Nano, nanoToDecimal } from '@/lib/money/nano'
import { isPayable, toNano } from '../domain/convert-amount'
import { GatewayError } from '../domain/gateway'
import { excessNano, type Invoice, nextClaim } from '../domain/invoice'
import type {
  CreateInvoiceInput,
  CreateInvoiceResult,
  CreditRestInput,
  MethodOffer,
} from '../domain/payments'
import { creditInvoice } from './credit-invoice'
import { findInvoice, lockInvoice, READ_AT, selectInvoices, toInvoice } from './invoice-rows'
import { observeInvoice } from './observe-invoice'
import type { PaymentDatabase } from './payment-tables'
import { findGateway, type PaymentsContext, rateIfKnown } from './payments-context'
import { nextCheckAt, seconds } from './poll-schedule'

/** A page polls every second or two; the gateway is asked at most this often per invoice. */
const CHECK_INTERVAL_SECONDS = 2
/** How much longer than asked for an invoice may be payable, by its gateway's clock. */
const EXPIRY_EXCESS_SECONDS_MAX = 24 * 3600
/** The most that an operator is shown at once. */
const UNDER_REVIEW_COUNT_MAX = 1_000

/** Lists each method once, from the first gateway that has it, even while a source of rates is down. */
export async function listMethods({ gateways, bonuses }: PaymentsContext): Promise<MethodOffer[]> {
  const offers = await Promise.all(
    gateways.map(async gateway => {
      const usdPerBitcoin = await rateIfKnown(gateway)
      return gateway.methods.map(method => ({
        ...method,
        gatewayId: gateway.id,
        bonusFraction: bonuses[method.id] ?? ZERO,
        usdPerBitcoin,
      }))
    }),
  )
  const seen = new Set<string>()
  return offers.flat().filter(({ id }) => !seen.has(id) && seen.add(id))
}

/**
 * Creates an invoice at the gateway, then stores it. A crash in between leaves an invoice at the gateway that nobody
 * has seen, so nobody pays it.
 * @throws GatewayError
 */
export async function createInvoice(
  context: PaymentsContext,
  input: CreateInvoiceInput,
): Promise<CreateInvoiceResult> {
  const { methodId, amount, currency } = input
  const gateway = context.gateways.find(each => each.methods.some(({ id }) => id === methodId))
  const method = gateway?.methods.find(({ id }) => id === methodId)
  if (!gateway || !method) return { outcome: 'unknown_method' }
  if (!method.currencies.includes(currency))
    return { outcome: 'unknown_currency', currencies: method.currencies }
  if (!isPayable(amount, currency)) return { outcome: 'amount_too_fine' }
  const usdPerBitcoin = currency === 'USD' ? null : await gateway.getUsdPerBitcoin()
  const amountNano = toNano(amount, currency, usdPerBitcoin)
  if (amountNano === null) return { outcome: 'rate_unavailable' }
  const { minimumNano, maximumNano, expirySeconds } = method
  if (amountNano < minimumNano || amountNano > maximumNano)
    return { outcome: 'amount_out_of_range', minimumNano, maximumNano }

  const invoiceId = randomUUID()
  const created = await gateway.createInvoice({
    invoiceId,
    methodId,
    amountNano,
    requested: { amount, currency },
    expirySeconds,
    returnUrl: `${input.siteUrl}${input.returnPath ?? '/top-up'}?invoice=${invoiceId}`,
  })
  // Our own expiry is used if the gateway's clock is so far off that the invoice would already be expired, and if it
  // would keep its rate for days, as with a wallet that tells milliseconds (coinos did).
  const expiresAt = sql<Date>`case
    when ${created.expiresAt}::timestamptz > now()
      and ${created.expiresAt}::timestamptz < now() + ${seconds(expirySeconds + EXPIRY_EXCESS_SECONDS_MAX)}
    then ${created.expiresAt}::timestamptz
    else now() + ${seconds(expirySeconds)} end`
  const row = await context.database.transaction().execute(async transaction => {
    await transaction
      .insertInto('invoice')
      .values({
        id: invoiceId,
        account_id: input.accountId,
        gateway: gateway.id,
        gateway_invoice_id: created.gatewayInvoiceId,
        method: methodId,
        requested_amount: formatDecimal(amount),
        requested_currency: currency,
        amount_nano: amountNano,
        maximum_nano: maximumNano,
        bonus_fraction: formatDecimal(context.bonuses[methodId] ?? ZERO),
        checkout_url: created.checkoutUrl,
        lightning_invoice: created.lightningInvoice,
        bitcoin_address: created.bitcoinAddress,
        bitcoin_due: created.bitcoinDue && formatDecimal(created.bitcoinDue),
        expires_at: expiresAt,
      })
      .onConflict(conflict => conflict.columns(['gateway', 'gateway_invoice_id']).doNothing())
      .execute()
    return transaction
      .updateTable('invoice')
      .set({ next_check_at: nextCheckAt() })
      .where('id', '=', invoiceId)
      .returningAll()
      .returning(READ_AT)
      .executeTakeFirst()
  })
  if (!row) throw new GatewayError('The payment gateway returned an invoice that exists already.')
  return { outcome: 'created', invoice: toInvoice(row) }
}

/** The current invoice; the gateway is asked first if there may be news. */
export async function getInvoice(
  context: PaymentsContext,
  input: { accountId: string; invoiceId: string },
): Promise<Invoice | null> {
  const invoice = await findInvoice(context.database, input.invoiceId)
  if (invoice?.accountId !== input.accountId) return null
  if (isFinished(invoice) || !(await mayCheck(context, invoice.invoiceId))) return invoice
  try {
    return await observeInvoice(context, invoice)
  } catch (error) {
    // The stored state is the best that is known; the next request asks again.
    if (error instanceof GatewayError) return findInvoice(context.database, invoice.invoiceId)
    throw error
  }
}

function isFinished(invoice: Invoice): boolean {
  const isCredited = invoice.creditedNano === invoice.claimedNano && nextClaim(invoice) === null
  return invoice.state === 'Settled' && isCredited
}

/** Of many simultaneous requests, one wins the right to ask, by the database's clock. */
async function mayCheck({ database }: PaymentsContext, invoiceId: string): Promise<boolean> {
  const { rows } = await sql`
    update invoice set checked_at = now()
    where id = ${invoiceId} and next_check_at is not null
      and (checked_at is null or checked_at < now() - ${seconds(CHECK_INTERVAL_SECONDS)})
    returning id`.execute(database)
  return rows.length > 0
}

/** @throws GatewayError */
export async function recheckInvoice(
  context: PaymentsContext,
  input: { invoiceId: string },
): Promise<Invoice | null> {
  const invoice = await findInvoice(context.database, input.invoiceId)
  return invoice && observeInvoice(context, invoice)
}

const HALF_A_NANO: Decimal = { coefficient: 5n, scale: 10 }

/**
 * Pays a fraction of a sandbox invoice, which may be more than all of it, at any time and any number of times. Rounded
 * to the nearest nano-dollar, since a third, written as a JSON number, is a little less.
 */
export async function paySandboxInvoice(
  context: PaymentsContext,
  input: { invoiceId: string; fraction: Decimal; paymentId?: string },
): Promise<Invoice | null> {
  if (!findGateway(context, 'sandbox')) return null
  const invoice = await findInvoice(context.database, input.invoiceId)
  if (invoice?.gatewayId !== 'sandbox') return null
  const amount = multiply(nanoToDecimal(invoice.amountNano), input.fraction)
  const amountNano = floorToNano(add(amount, HALF_A_NANO))
  if (amountNano > 0n) {
    await context.database
      .insertInto('sandbox_payment')
      .values({
        id: input.paymentId,
        gateway_invoice_id: invoice.gatewayInvoiceId,
        amount_nano: amountNano,
      })
      .onConflict(conflict => conflict.column('id').doNothing())
      .execute()
  }
  return observeInvoice(context, invoice)
}

/** Invoices with payments beyond the limit, until the operator credits the excess or refunds it at the gateway. */
export async function listUnderReview(database: PaymentDatabase): Promise<Invoice[]> {
  const rows = await selectInvoices(database)
    // The same expression as in the index.
    .where(sql<boolean>`paid_nano > refund_seen_nano + maximum_nano + approved_nano`)
    .orderBy('created_at')
    .limit(UNDER_REVIEW_COUNT_MAX)
    .execute()
  return rows.map(toInvoice)
}

/** Approves the current excess, once, and credits it; later payments need another approval. */
export async function creditRest(
  context: PaymentsContext,
  input: CreditRestInput,
): Promise<{ approvedNano: Nano; invoice: Invoice } | null> {
  const found = await findInvoice(context.database, input.invoiceId)
  if (!found) return null
  const { invoiceId } = found
  const approvedNano = await context.database.transaction().execute(async transaction => {
    const invoice = await lockInvoice(transaction, invoiceId)
    const rest = invoice ? excessNano(invoice) : 0n
    const nano = input.amountNano === null ? rest : minNano(rest, input.amountNano)
    if (nano > 0n)
      await sql`
        update invoice set
          approved_nano = approved_nano + ${nano}::bigint,
          approved_by = ${input.operator}::text,
          approved_reason = ${input.reason}::text,
          updated_at = now()
        where id = ${invoiceId}`.execute(transaction)
    return nano
  })
  await creditInvoice(context, invoiceId)
  return { approvedNano, invoice: (await findInvoice(context.database, invoiceId)) ?? found }
}
