import 'server-only'
import { sql } from 'kysely'
import { nanoToUsdNumber } from '@/lib/money/nano'
import { metrics } from '@/lib/observability/metrics'
import { type Invoice, nextClaim } from '../domain/invoice'
import { findInvoice, lockInvoice } from './invoice-rows'
import type { PaymentsContext } from './payments-context'
import { seconds, UNFINISHED_RETRY_SECONDS } from './poll-schedule'

/** Each round credits everything seen so far; more than two happen only while payments pour in. */
const ROUND_COUNT_MAX = 8

/**
 * Credits the difference between what arrived, up to the limit, and what was credited so far.
 *
 * One claim is open at a time: a claim is made only while nothing is claimed but not yet credited.
 * Whoever finds an open claim (a concurrent delivery, or anybody after a crash) finishes it
 * under the same references, which the ledger honours once. So a payment is credited exactly once, and
 * deduplicated on being credited, not on being seen.
 */
export async function creditInvoice(context: PaymentsContext, invoiceId: string): Promise<void> {
  for (let round = 0; round < ROUND_COUNT_MAX; round += 1) {
    let invoice = await findInvoice(context.database, invoiceId)
    if (invoice && !isOpen(invoice) && nextClaim(invoice)) invoice = await claim(context, invoiceId)
    if (!invoice || !isOpen(invoice)) return
    await transfer(context, invoice)
    await markCredited(context, invoice)
  }
}

function isOpen(invoice: Invoice): boolean {
  return invoice.claimedNano > invoice.creditedNano || invoice.bonusClaimedNano > invoice.bonusNano
}

async function claim({ database }: PaymentsContext, invoiceId: string): Promise<Invoice | null> {
  return database.transaction().execute(async transaction => {
    const invoice = await lockInvoice(transaction, invoiceId)
    const wanted = invoice && !isOpen(invoice) ? nextClaim(invoice) : null
    if (!invoice || !wanted) return invoice
    await sql`
      update invoice set
        claimed_nano = ${wanted.claimedNano}::bigint,
        bonus_claimed_nano = ${wanted.bonusClaimedNano}::bigint,
        next_check_at = least(next_check_at, now() + ${seconds(UNFINISHED_RETRY_SECONDS)}),
        updated_at = now()
      where id = ${invoiceId}`.execute(transaction)
    return { ...invoice, ...wanted }
  })
}

async function transfer({ database, ledger }: PaymentsContext, invoice: Invoice): Promise<void> {
  const { accountId, invoiceId, gatewayId, methodId, claimedNano, bonusClaimedNano } = invoice
  const subject = `${gatewayId}:${invoice.gatewayInvoiceId}`
  const memo = { invoice_id: invoiceId, gateway: gatewayId, method: methodId }
  const amountNano = claimedNano - invoice.creditedNano
  if (amountNano > 0n) {
    await ledger.credit({
      accountId,
      amountNano,
      source: 'gateway',
      reference: `${subject}:paid:${claimedNano}`,
      memo:
        claimedNano > invoice.maximumNano ? { ...memo, ...(await approvalOf(database, invoiceId)) } : memo,
    })
  }
  const bonusNano = bonusClaimedNano - invoice.bonusNano
  if (bonusNano > 0n) {
    const reference = `${subject}:bonus:${bonusClaimedNano}`
    await ledger.credit({ accountId, amountNano: bonusNano, source: 'promotion', reference, memo })
  }
}

/** Who had it credited, and why, as every transfer of an operator carries them. */
async function approvalOf(
  database: PaymentsContext['database'],
  invoiceId: string,
): Promise<Record<string, string>> {
  const row = await database
    .selectFrom('invoice')
    .select(['approved_by', 'approved_reason'])
    .where('id', '=', invoiceId)
    .executeTakeFirst()
  return row?.approved_by ? { operator: row.approved_by, reason: row.approved_reason ?? '' } : {}
}

/** Loses harmlessly against another finisher of the same claim; the winner counts. */
async function markCredited({ database }: PaymentsContext, invoice: Invoice): Promise<void> {
  const { numAffectedRows = 0n } = await sql`
    update invoice set
      credited_nano = claimed_nano,
      bonus_nano = bonus_claimed_nano,
      updated_at = now()
    where id = ${invoice.invoiceId}
      and claimed_nano = ${invoice.claimedNano}::bigint
      and credited_nano = ${invoice.creditedNano}::bigint
      and bonus_claimed_nano = ${invoice.bonusClaimedNano}::bigint
      and bonus_nano = ${invoice.bonusNano}::bigint`.execute(database)
  if (numAffectedRows === 0n) return
  const creditedNano =
    invoice.claimedNano - invoice.creditedNano + (invoice.bonusClaimedNano - invoice.bonusNano)
  const method = invoice.methodId
  if (invoice.creditedNano === 0n) metrics.invoicesCredited.inc({ method })
  metrics.creditedUsd.inc({ method }, nanoToUsdNumber(creditedNano))
}
