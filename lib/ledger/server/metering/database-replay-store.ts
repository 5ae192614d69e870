import 'server-only'
import { sql } from 'kysely'
import type { Database } from '@/lib/db/database'
import { retryLostConnection } from '@/lib/db/retry-lost-connection'
import type { ReplayStore } from './replay-store'

const UUID_PATTERN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Kept answers in the database, whose clock decides when they expire. */
export function createDatabaseReplayStore({ database }: { database: Database }): ReplayStore {
  const { kysely } = database
  return {
    async put({ exchangeId, resumeName, accountId, sealed, ttlSeconds }) {
      const insert = kysely
        .insertInto('replay')
        .values({
          exchange_id: exchangeId,
          account_id: accountId,
          resume_name: resumeName,
          sealed,
          expires_at: sql<Date>`now() + make_interval(secs => ${ttlSeconds})`,
        })
        .onConflict(conflict => conflict.doNothing())
      await retryLostConnection(() => insert.execute())
    },

    async find(name) {
      const query = kysely
        .selectFrom('replay')
        .select(['exchange_id', 'account_id', 'resume_name', 'sealed'])
        .where(UUID_PATTERN.test(name) ? 'exchange_id' : 'resume_name', '=', name)
        .where('expires_at', '>', sql<Date>`now()`)
      const row = await retryLostConnection(() => query.executeTakeFirst())
      if (!row) return null
      const { exchange_id: exchangeId, resume_name: resumeName, account_id: accountId, sealed } = row
      return { exchangeId, resumeName, accountId, sealed }
    },

    async sweep({ rowCountMax }) {
      const expired = kysely
        .selectFrom('replay')
        .select('exchange_id')
        .where('expires_at', '<=', sql<Date>`now()`)
        .limit(rowCountMax)
      await kysely.deleteFrom('replay').where('exchange_id', 'in', expired).execute()
    },
  }
}
