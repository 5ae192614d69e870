import 'server-only'
import { sql } from 'kysely'
import type { Database } from '@/lib/db/database'
import { retryLostConnection } from '@/lib/db/retry-lost-connection'
import { isUuid } from '@/lib/http/domain/uuid'

export interface AnnouncedExchange {
  exchangeId: string
  accountId: string
  /** Derived from the resume key; null when nobody can resume it. */
  resumeName: string | null
}

/**
 * Where the processes of one deployment announce which answers they are writing. A request can reach any of them:
 * a stop has to find the owner, and a resume must not report an answer as lost that another process is still
 * writing. The board holds nothing of the answers themselves.
 */
export interface ExchangeBoard {
  announce(exchanges: readonly AnnouncedExchange[], ttlSeconds: number): Promise<void>
  /** Only once the answer is kept: a process that finds neither concludes that there is no such answer. */
  withdraw(exchangeIds: readonly string[]): Promise<void>
  /** Finds a running exchange by its id or its resume name; null for another account's. */
  find(input: { name: string; accountId: string }): Promise<AnnouncedExchange | null>
  /** Asks the owner to stop. @returns the exchange's id; null if none is running */
  requestStop(input: { name: string; accountId: string }): Promise<string | null>
  /**
   * Renews the announcements of the owner's exchanges. Returns those that it has been asked to stop, and those that
   * are no longer announced, since a database that crashed forgets all of them.
   */
  keep(
    exchangeIds: readonly string[],
    ttlSeconds: number,
  ): Promise<readonly { exchangeId: string; isForgotten: boolean }[]>
  /** Removes the announcements of processes that died. */
  sweep(input: { rowCountMax: number }): Promise<void>
}

/** A table of the database, whose clock decides when an announcement expires. */
export function createDatabaseExchangeBoard({ database }: { database: Database }): ExchangeBoard {
  const { kysely } = database
  const secondsFromNow = (seconds: number) => sql<Date>`now() + make_interval(secs => ${seconds})`
  const column = (name: string) => (isUuid(name) ? 'exchange_id' : 'resume_name')
  return {
    async announce(exchanges, ttlSeconds) {
      const insert = kysely
        .insertInto('running_exchange')
        .values(
          exchanges.map(({ exchangeId, accountId, resumeName }) => ({
            exchange_id: exchangeId,
            account_id: accountId,
            resume_name: resumeName,
            expires_at: secondsFromNow(ttlSeconds),
          })),
        )
        .onConflict(conflict => conflict.doNothing())
      await retryLostConnection(() => insert.execute())
    },

    async withdraw(exchangeIds) {
      const locked = kysely
        .selectFrom('running_exchange')
        .select('exchange_id')
        .where('exchange_id', 'in', [...exchangeIds])
        .orderBy('exchange_id')
        .forUpdate()
      const remove = kysely.deleteFrom('running_exchange').where('exchange_id', 'in', locked)
      await retryLostConnection(() => remove.execute())
    },

    async find({ name, accountId }) {
      const query = kysely
        .selectFrom('running_exchange')
        .select(['exchange_id as exchangeId', 'account_id as accountId', 'resume_name as resumeName'])
        .where(column(name), '=', name)
        .where('account_id', '=', accountId)
        .where('expires_at', '>', sql<Date>`now()`)
      return (await retryLostConnection(() => query.executeTakeFirst())) ?? null
    },

    async requestStop({ name, accountId }) {
      const update = kysely
        .updateTable('running_exchange')
        .set({ stop_requested: true })
        .where(column(name), '=', name)
        .where('account_id', '=', accountId)
        .where('expires_at', '>', sql<Date>`now()`)
        .returning('exchange_id as exchangeId')
      return (await retryLostConnection(() => update.executeTakeFirst()))?.exchangeId ?? null
    },

    async keep(exchangeIds, ttlSeconds) {
      // Written only when half of the time is over: a poll every second must not be a write every second.
      const { rows } = await retryLostConnection(() =>
        sql<{ exchangeId: string; isForgotten: boolean }>`
          with due as (
            -- Locked in the same order as when they are withdrawn, so that the two cannot deadlock.
            select exchange_id from running_exchange
            where exchange_id = any(${[...exchangeIds]}::uuid[])
              and expires_at < ${secondsFromNow(ttlSeconds / 2)}
            order by exchange_id for update
          ), kept as (
            update running_exchange set expires_at = ${secondsFromNow(ttlSeconds)}
            where exchange_id in (select exchange_id from due)
          )
          select asked.id as "exchangeId", stop_requested is null as "isForgotten"
          from unnest(${[...exchangeIds]}::uuid[]) as asked (id)
          left join running_exchange on exchange_id = asked.id
          where stop_requested is distinct from false`.execute(kysely),
      )
      return rows
    },

    async sweep({ rowCountMax }) {
      const expired = kysely
        .selectFrom('running_exchange')
        .select('exchange_id')
        .where('expires_at', '<=', sql<Date>`now()`)
        .limit(rowCountMax)
      await kysely.deleteFrom('running_exchange').where('exchange_id', 'in', expired).execute()
    },
  }
}
