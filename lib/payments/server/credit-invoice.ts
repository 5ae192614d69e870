import 'server-only'
import { sql } from 'kysely'
import { bonusFor } from '../domain/bonus'
import type { Invoice } from '../domain/invoice'
import { findInvoice } from './find-invoice'
import type { PaymentsContext } from './payments-context'
import { seconds, UNFINISHED_RETRY_SECONDS } from './poll-schedule'

/** Each round credits everything seen so far; more than two happen only while payments pour in. */
const ROUND_COUNT_MAX = 8

/**
 * Credits the difference between what arrived and what was credited so far.
 *
 * One claim is open at a time: the claim statement succeeds only while nothing is claimed but not yet
 * credited. Whoever finds an open claim (a concurrent delivery, or anybody after a crash) finishes it
 * under the same reference, which the ledger honours once. So a payment is credited exactly once, and
 * deduplicated on being credited, not on being seen.
 */
export async function creditInvoice(context: PaymentsContext, invoiceId: string): Promise<void> {
  for (let round = 0; round < ROUND_COUNT_MAX; round += 1) {
    await claim(context, invoiceId)
    const invoice = await findInvoice(context.database, invoiceId)
    if (!invoice || invoice.claimedNano === invoice.creditedNano) return
    const bonusNano = await transfer(context, invoice)
    await markCredited(context, invoice, bonusNano)
  }
}

async function claim({ database }: PaymentsContext, invoiceId: string): Promise<void> {
  await sql`
    update invoice set
      claimed_nano = paid_nano,
      next_check_at = least(next_check_at, now() + ${seconds(UNFINISHED_RETRY_SECONDS)}),
      updated_at = now()
    where id = ${invoiceId} and claimed_nano = credited_nano and paid_nano > claimed_nano`.execute(database)
}

async function transfer({ ledger }: PaymentsContext, invoice: Invoice): Promise<bigint> {
  const { accountId, invoiceId, gatewayId, methodId, claimedNano, creditedNano, bonusFraction } = invoice
  const reference = `${gatewayId}:${invoice.gatewayInvoiceId}:paid:${claimedNano}`
  const memo = { invoice_id: invoiceId, gateway: gatewayId, method: methodId }
  const amountNano = claimedNano - creditedNano
  await ledger.credit({ accountId, amountNano, source: 'gateway', reference, memo })
  const bonusNano = bonusFor(claimedNano, bonusFraction)
  const bonusIncreaseNano = bonusNano - bonusFor(creditedNano, bonusFraction)
  if (bonusIncreaseNano > 0n) {
    await ledger.credit({
      accountId,
      amountNano: bonusIncreaseNano,
      source: 'promotion',
      reference: `${reference}:bonus`,
      memo,
    })
  }
  return bonusNano
}

/** Loses harmlessly against another finisher of the same claim. */
async function markCredited(
  { database }: PaymentsContext,
  invoice: Invoice,
  bonusNano: bigint,
): Promise<void> {
  await sql`
    update invoice set
      credited_nano = claimed_nano,
      bonus_nano = ${bonusNano}::bigint,
      updated_at = now()
    where id = ${invoice.invoiceId}
      and claimed_nano = ${invoice.claimedNano}::bigint
      and credited_nano = ${invoice.creditedNano}::bigint`.execute(database)
}
