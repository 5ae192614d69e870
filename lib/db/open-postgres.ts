import 'server-only'
import { setTimeout as delay } from 'node:timers/promises'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { metrics } from '@/lib/observability/metrics'
import type { Database } from './database'
import { isLostConnection } from './retry-lost-connection'
import type { Schema } from './schema'

/** Enough to keep a small server busy; a pooler's and Supabase's smallest plans allow more. */
const CONNECTION_COUNT_MAX = 10
/** A connection that does not come within this time is an outage, and callers are told so. */
const CONNECT_TIMEOUT_MS = 5_000
/** No statement of ours takes a second; a silent connection must not keep a request for ever. */
const QUERY_TIMEOUT_MS = 30_000
/** A day: what reads every row of a large database, as `ledger:check` and some migrations do, takes minutes. */
export const PATIENT_QUERY_TIMEOUT_MS = 24 * 3_600_000
/** Below the idle limits of common poolers and firewalls. */
const IDLE_TIMEOUT_MS = 30_000
const KEEP_ALIVE_DELAY_MS = 10_000

/**
 * A pool without session state: no SET, no LISTEN, no session locks, and named statements only where asked for, so
 * that a pooler in transaction mode may stand between.
 */
export function openPostgres(input: {
  url: string
  /** No pooler stands between: the functions that every exchange calls are parsed and planned once per connection. */
  namesCalls?: boolean
  connectionCountMax?: number
  queryTimeoutMs?: number
  /** Starts the server again, as far as that is possible; called when it cannot be reached. */
  revive?: () => Promise<void>
}): Database {
  const pool = new pg.Pool({
    connectionString: input.url,
    max: input.connectionCountMax ?? CONNECTION_COUNT_MAX,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    query_timeout: input.queryTimeoutMs ?? QUERY_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    types: { getTypeParser },
  })
  // A connection that the server ends, idle or between two queries of its user, is dropped from the pool
  // and the next query opens another one; without a listener each would end the process.
  pool.on('error', () => {})
  pool.on('connect', client => {
    client.on('error', () => {})
  })
  // One on which a statement got no answer in time may be dead, and whoever had it next would wait as long.
  pool.on('release', (_error, client: pg.PoolClient & Partial<BusyClient>) => {
    if (client._activeQuery) void client.end?.()
  })
  const unwatchPool = metrics.watchPool(pool)
  const { revive, namesCalls = false } = input
  const connections: Connections = revive ? revivingPool(pool, revive) : pool
  const kysely = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: connections }) })
  let closing: Promise<void> | null = null
  return {
    kysely,
    // By the driver itself: the query builder's way to it takes a tenth of what a hold costs this process.
    async call(functionName, request) {
      const client = await connections.connect()
      try {
        const { rows } = await client.query({
          name: namesCalls ? functionName : undefined,
          text: `select ${functionName}($1) as answer`,
          values: [JSON.stringify(request)],
        })
        if (!rows[0]) throw new Error('The database answered nothing.')
        return rows[0].answer
      } finally {
        client.release()
      }
    },
    close: () => {
      closing ??= pool.end().finally(unwatchPool)
      return closing
    },
  }
}

/** What the pool's clients are beyond its types; one that is ended is not used again. */
interface BusyClient {
  /** What was neither answered nor refused. */
  _activeQuery: object | null
  end(): Promise<void>
}

/** What is used of a pool. */
interface Connections {
  options: pg.PoolOptions
  connect(): Promise<pg.PoolClient>
  end(): Promise<void>
}

/** Whoever asks for a connection while the server is dead has it started, and waits a while for it. */
function revivingPool(pool: pg.Pool, revive: () => Promise<void>): Connections {
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      try {
        return await pool.connect()
      } catch (error) {
        if (!isLostConnection(error)) throw error
        await Promise.race([revive(), delay(CONNECT_TIMEOUT_MS, undefined, { ref: false })])
        return pool.connect()
      }
    },
  }
}

/** Money is a bigint everywhere. Set per pool: the driver's own table of parsers is the whole process's. */
const getTypeParser: typeof pg.types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  oid === pg.types.builtins.INT8 ? BigInt : pg.types.getTypeParser(oid, format)
