import 'server-only'
import { sql } from 'kysely'
import type { PaymentDatabase } from './payment-tables'

/** The one clock that all instances share; a machine's own may be off. */
export function databaseClock(database: PaymentDatabase): () => Promise<Date> {
  return async () => {
    const { rows } = await sql<{ now: Date }>`select now() as now`.execute(database)
    const now = rows[0]?.now
    if (!now) throw new Error('The database did not return its time.')
    return now
  }
}
