import 'server-only'
import { sql } from 'kysely'
import type { Database } from '@/lib/db/database'
import { retryLostConnection } from '@/lib/db/retry-lost-connection'
import { isUuid } from '@/lib/http/domain/uuid'

/** Answers that are kept for ten minutes, sealed with secrets that only their readers have. */
export interface ReplayStore {
  /** Never overwrites: the first answer of an exchange stays. */
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

/**
 * The disk space for all kept answers: enough for hundreds of pictures, or a hundred thousand texts. It is bounded
 * since a full disk ends every payment, and since the embeddings of two thousand texts are tens of megabytes that
 * cost next to nothing.
 */
const KEPT_BYTES_MAX = 1024 * 1024 * 1024
/**
 * Each process checks the total after it has stored this much, so that the total may exceed the bound by this much.
 */
const LOOK_BYTES = 32 * 1024 * 1024

/** Kept answers in the database, whose clock decides when they expire. */
export function createDatabaseReplayStore(input: {
  database: Database
  keptBytesMax?: number
  lookBytes?: number
}): ReplayStore {
  const { keptBytesMax = KEPT_BYTES_MAX, lookBytes = LOOK_BYTES } = input
  const { kysely } = input.database
  let unlookedBytes = 0

  /**
   * Deletes the oldest answers of the accounts that take the most, so that one account cannot displace the answers
   * of others. The accounts are summed only if the total is too much.
   */
  async function makeRoom(): Promise<void> {
    await sql`
      delete from replay where (select sum(octet_length(sealed)) from replay) > ${keptBytesMax} and exchange_id in (
        select exchange_id from replay where exchange_id in (
          select exchange_id from (
            select exchange_id, sum(byte_count) over (order by newer_bytes, exchange_id) as kept_bytes
            from (
              select exchange_id, octet_length(sealed) as byte_count, sum(octet_length(sealed)) over (
                partition by account_id order by expires_at desc, exchange_id) as newer_bytes
              from replay
            ) of_each
          ) of_all
          where kept_bytes > ${keptBytesMax}
        )
        for update skip locked
      )`.execute(kysely)
  }

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
      unlookedBytes += sealed.byteLength
      if (unlookedBytes < lookBytes) return
      unlookedBytes = 0
      await makeRoom()
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
