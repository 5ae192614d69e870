import 'server-only'
import { type RawBuilder, sql } from 'kysely'

/**
 * How often an invoice is checked without a request, by its age. Webhooks normally come first; this finds what they
 * missed. After the last entry the checks end.
 */
const POLL_SCHEDULE = [
  // While it can be paid, and a little longer.
  { untilSecondsAfterExpiry: 10 * 60, intervalSeconds: 3 * 60 },
  // Payments that were on their way when the invoice expired.
  { untilSecondsAfterExpiry: 24 * 3600, intervalSeconds: 3600 },
  // Late on-chain payments, second payments, and refunds whose webhook was lost.
  { untilSecondsAfterExpiry: 30 * 24 * 3600, intervalSeconds: 12 * 3600 },
] as const

/**
 * Up to this age somebody is probably waiting; a card checkout stays open for a day, but most people have left it by
 * then.
 */
const YOUNG = { ageSeconds: 30 * 60, intervalSeconds: 20 }

/** A crash between claim and credit is repaired after this long, however old the invoice is. */
export const UNFINISHED_RETRY_SECONDS = 60

/** The time of the next check, by the database's clock; for an UPDATE of `invoice`. */
export function nextCheckAt(): RawBuilder<Date | null> {
  const cases = POLL_SCHEDULE.map(
    ({ untilSecondsAfterExpiry, intervalSeconds }) =>
      sql`when now() < expires_at + ${seconds(untilSecondsAfterExpiry)} then now() + ${seconds(intervalSeconds)}`,
  )
  const [payable] = POLL_SCHEDULE
  const young = sql`when now() < least(created_at + ${seconds(YOUNG.ageSeconds)},
    expires_at + ${seconds(payable.untilSecondsAfterExpiry)}) then now() + ${seconds(YOUNG.intervalSeconds)}`
  return sql<Date | null>`case ${sql.join([young, ...cases], sql` `)} else null end`
}

export function seconds(count: number): RawBuilder<string> {
  return sql<string>`make_interval(secs => ${sql.lit(count)})`
}
