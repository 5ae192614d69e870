import 'server-only'
import { type RawBuilder, sql } from 'kysely'

/**
 * How often an invoice is looked at without being asked for, by its age. Webhooks normally come first;
 * this finds what they missed. After the last line nobody looks any more.
 */
const POLL_SCHEDULE = [
  // While it can be paid, and a little longer.
  { untilSecondsAfterExpiry: 10 * 60, intervalSeconds: 3 * 60 },
  // Payments that were on their way when time ran out.
  { untilSecondsAfterExpiry: 24 * 3600, intervalSeconds: 3600 },
  // Late on-chain payments, second payments, refunds whose webhook was lost.
  { untilSecondsAfterExpiry: 30 * 24 * 3600, intervalSeconds: 12 * 3600 },
] as const

/** Until then somebody is likely to be waiting; a page for cards, which stays open for a day, is mostly left by then. */
const YOUNG = { ageSeconds: 30 * 60, intervalSeconds: 20 }

/** A crash between claim and credit is repaired after this long, whatever the invoice's age. */
export const UNFINISHED_RETRY_SECONDS = 60

/** The time of the next look, by the database's clock; for an UPDATE of `invoice`. */
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
