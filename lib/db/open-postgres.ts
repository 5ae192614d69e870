import 'server-only'
import { setTimeout as delay } from 'node:timers/promises'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { metrics } from '@/lib/observability/metrics'
import type { Database } from './database'
import { isLostConnection } from './retry-lost-connection'
import type { Schema } from './schema'

/** Enough to keep a small server busy; poolers and Supabase's smallest plans allow more. */
const CONNECTION_COUNT_MAX = 10
/** If connecting takes longer, it is an outage, and callers get an error. */
const CONNECT_TIMEOUT_MS = 5_000
/** None of our statements takes a second, and a dead connection must not block a request forever. */
const QUERY_TIMEOUT_MS = 30_000
/** A day: statements that read every row of a large database, in `ledger:check` and some migrations, take minutes. */
export const PATIENT_QUERY_TIMEOUT_MS = 24 * 3_600_000
/** Below the idle limits of common poolers and firewalls. */
const IDLE_TIMEOUT_MS = 30_000
/** The same where the process has to be kept awake for it. */
const AWAKE_IDLE_TIMEOUT_MS = 5_000
/** The pool's own timers were set before. */
const AWAKE_MARGIN_MS = 100
const KEEP_ALIVE_DELAY_MS = 10_000
/** PostgreSQL's `read_only_sql_transaction`. */
const READ_ONLY_CODE = '25006'

/**
 * A pool without session state: no SET, no LISTEN, no session locks, and prepared statements only on request, so that
 * there can be a pooler in transaction mode in between.
 */
export function openPostgres(input: {
  url: string
  /**
   * Set if there is no pooler in between: the functions that every exchange calls are then parsed and planned once per
   * connection.
   */
  namesCalls?: boolean
  connectionCountMax?: number
  queryTimeoutMs?: number
  /** Set if the process is frozen as soon as nothing is left of the work that it has announced by this. */
  keepAlive?: (work: Promise<unknown>) => void
  /** Restarts the server if possible; called when it cannot be reached. */
  revive?: () => Promise<void>
  /** Called once, when it is closed. */
  leave?: () => Promise<void>
}): Database {
  const pool = new pg.Pool({
    connectionString: input.url,
    max: input.connectionCountMax ?? CONNECTION_COUNT_MAX,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: input.keepAlive ? AWAKE_IDLE_TIMEOUT_MS : IDLE_TIMEOUT_MS,
    query_timeout: input.queryTimeoutMs ?? QUERY_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    types: { getTypeParser },
  })
  // If the server closes a connection, idle or between two queries of its user, it is removed from the pool and the
  // next query opens another one; without a listener the process would end.
  pool.on('error', () => {})
  const readOnly = new WeakSet<pg.PoolClient>()
  pool.on('connect', (client: pg.PoolClient & Partial<InnerClient>) => {
    client.on('error', () => {})
    client.connection?.on('errorMessage', ({ code }: { code?: string }) => {
      if (code === READ_ONLY_CODE) readOnly.add(client)
    })
  })
  // A connection on which a statement got no answer in time may be dead, and its next user would wait as long. One that
  // only reads may lead to the server that another has taken over from, or be from before writing was allowed again;
  // while it is used, it would stay so for ever.
  pool.on('release', (_error, client: pg.PoolClient & Partial<InnerClient>) => {
    if (client._activeQuery || readOnly.has(client)) void client.end?.()
  })
  if (input.keepAlive) stayAwakeWhileOpen(pool, input.keepAlive)
  const unwatchPool = metrics.watchPool(pool)
  const { revive, namesCalls = false } = input
  const connections: Connections = revive ? revivingPool(pool, revive) : pool
  const kysely = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: connections }) })
  let closing: Promise<void> | null = null
  return {
    kysely,
    // Calls the driver directly: going through the query builder takes a tenth of a hold's time in this process.
    async call(functionName, request) {
      const client = await connections.connect()
      try {
        const { rows } = await client.query({
          name: namesCalls ? functionName : undefined,
          text: `select ${functionName}($1) as answer`,
          values: [JSON.stringify(request)],
        })
        if (!rows[0]) throw new Error('The database returned no answer.')
        return rows[0].answer
      } finally {
        client.release()
      }
    },
    close: () => {
      closing ??= pool.end().finally(unwatchPool).then(input.leave)
      return closing
    },
  }
}

/**
 * No timer runs in a frozen process, so that its idle connections would stay open, and a few dozen such processes would
 * take all that a pooler has. Whoever has used a connection last therefore stays until all are closed; the ones before
 * no longer have to.
 */
function stayAwakeWhileOpen(pool: pg.Pool, keepAlive: (work: Promise<unknown>) => void): void {
  let timer: NodeJS.Timeout | undefined
  let relieve = () => {}
  pool.on('release', () => {
    clearTimeout(timer)
    relieve()
    const { promise, resolve } = Promise.withResolvers<void>()
    relieve = resolve
    timer = setTimeout(resolve, AWAKE_IDLE_TIMEOUT_MS + AWAKE_MARGIN_MS)
    keepAlive(promise)
  })
}

/** Properties of the pool's clients that its types omit; an ended client is not used again. */
interface InnerClient {
  /** A query that was neither answered nor rejected. */
  _activeQuery: object | null
  /** Emits every error of the server. */
  connection: pg.Connection
  end(): Promise<void>
}

/** The part of a pool that is used. */
interface Connections {
  options: pg.PoolOptions
  connect(): Promise<pg.PoolClient>
  end(): Promise<void>
}

/** A request for a connection while the server is dead has it restarted, and waits a while for it. */
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

/**
 * Money is a bigint everywhere. Set per pool, because the driver's own table of parsers is shared by the whole process.
 */
const getTypeParser: typeof pg.types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  oid === pg.types.builtins.INT8 ? BigInt : pg.types.getTypeParser(oid, format)
