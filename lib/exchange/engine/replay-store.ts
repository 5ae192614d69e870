import 'server-only'
import { sql } from 'kysely'
import type { Database } from '@/lib/db/database'
import { retryLostConnection } from '@/lib/db/retry-lost-connection'
import { isUuid } from '@/lib/http/domain/uuid'

/** Answers kept for ten minutes, sealed with keys that only those have who may read them. */
export interface ReplayStore {
  /** Overwrites nothing: the first answer of an exchange stands. */
  put(input: StoredReplay & { ttlSeconds: number }): Promise<void>
  /** By the exchange's id or its resume name; null when unknown or expired. */
  find(name: string): Promise<StoredReplay | null>
  /** Removes at most so many expired rows. */
  sweep(input: { rowCountMax: number }): Promise<void>
}

interface StoredReplay {
  exchangeId: string
  /** The name that a browser derives from its resume key; null when there is none. */
  resumeName: string | null
  accountId: string
  sealed: Uint8Array
}

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
        .where(isUuid(name) ? 'exchange_id' : 'resume_name', '=', name)
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
