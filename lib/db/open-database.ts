import 'server-only'
import { log } from '@/lib/observability/log'
import type { Database } from './database'
import { DatabaseError } from './database-error'
import { joinEmbeddedServer } from './embedded/server'
import { migrateDatabase } from './migrate-database'
import { openPostgres } from './open-postgres'
import { isLostConnection } from './retry-lost-connection'

export interface OpenDatabaseInput {
  /** A PostgreSQL URL, which may be that of a pooler in transaction mode; null opens the embedded database. */
  url: string | null
  /** A direct connection for migrations, if `url` is a pooler's. */
  directUrl: string | null
  /** The directory of the embedded database. */
  dataDirectory: string
  /** For an operator's commands, which may take longer than a page can wait. */
  queryTimeoutMs?: number
  /** See `openPostgres`. */
  keepAlive?: (work: Promise<unknown>) => void
}

/**
 * Opens the database and brings its schema up to date. The caller keeps the promise, because there is one database per
 * process.
 *
 * @throws DatabaseError
 */
export function openDatabase(input: OpenDatabaseInput): Promise<Database> {
  return input.url === null ? openEmbedded(input) : openDatabaseAt(input.url, input)
}

export async function openDatabaseAt(
  url: string,
  { directUrl, queryTimeoutMs, keepAlive }: Partial<OpenDatabaseInput> = {},
): Promise<Database> {
  for (const named of new Set([url, directUrl ?? url])) warnOfPlainConnection(named)
  const database = openPostgres({ url, queryTimeoutMs, keepAlive })
  try {
    return await migrated(database, directUrl ?? url)
  } catch (error) {
    throw error instanceof DatabaseError ? error : unusable([url, directUrl ?? url], error)
  }
}

/** A name without a dot is one of the same machine or of its containers. */
const NEAR_HOST = /^[^.]*$|^(?:10|127|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.|\.(?:internal|local)$/

/** Whoever means it says so: `sslmode=disable`. */
function warnOfPlainConnection(url: string): void {
  const { host, hostname, searchParams } = new URL(url)
  const isSaid = [...searchParams.keys()].some(name => name.startsWith('ssl'))
  if (isSaid || NEAR_HOST.test(hostname)) return
  log.warn(
    `the connection to ${host} is not encrypted: its URL says no sslmode (docs/operating.md, "The connection to the database")`,
  )
}

/** Names only the servers: the rest of the URLs contains the password. */
export function unusable(urls: readonly string[], cause: unknown): DatabaseError {
  const servers = [...new Set(urls.map(url => new URL(url).host))].join(' or ')
  // Several addresses of one name that all refuse are an error without words.
  const { message, code, severity } = cause as NodeJS.ErrnoException & { severity?: string }
  // Only what a server said has a severity.
  const what = isLostConnection(cause) && severity === undefined ? 'does not answer' : 'cannot be used'
  const reason = message || code || 'unknown'
  const advice = ADVICE.find(
    ({ pattern, host = /^/ }) => pattern.test(`${code} ${reason}`) && host.test(servers),
  )
  const sentences = [`The database at ${servers} ${what} (${reason}).`, ...(advice ? [advice.text] : [])]
  return new DatabaseError('unreachable', sentences.join(' '), { cause })
}

/** What to change, where a new deployment usually fails and the error itself does not say. */
const ADVICE: readonly { pattern: RegExp; host?: RegExp; text: string }[] = [
  {
    pattern: /^28P01|(?:password|SASL) authentication failed|tenant.* not found|no tenant identifier/i,
    text: 'Check the user, the password and the host in the URL: special characters are percent-encoded (%23 for #), at the poolers of Supabase the user is postgres.<project>, and each project is at one of their hosts. One that is paused is not found either.',
  },
  {
    pattern: /certificate|^ERR_TLS_CERT|LEAF_SIGNATURE|does not support SSL|SSL (?:connection is )?required/i,
    text: 'What sslmode and sslrootcert do at the end of the URL is in docs/operating.md, "The connection to the database".',
  },
  {
    pattern: /max clients reached\b.* in session mode/i,
    text: 'That is a pooler in session mode, which has room for a few connections only: it belongs into DATABASE_DIRECT_URL, and the transaction pooler (port 6543) into DATABASE_URL.',
  },
  {
    pattern: /not in tenant allow_list/,
    text: 'Supabase admits only the addresses under Database → Settings → Network Restrictions, and those of functions on Vercel change.',
  },
  {
    pattern: /^(?:ENOTFOUND|ENETUNREACH|EHOSTUNREACH|EADDRNOTAVAIL|ETIMEDOUT) /,
    host: /\bdb\.\w+\.supabase\.co\b/,
    text: 'That is the direct connection, which has an IPv6 address only: use the transaction pooler in DATABASE_URL and the session pooler in DATABASE_DIRECT_URL.',
  },
]

async function openEmbedded({ dataDirectory, queryTimeoutMs }: OpenDatabaseInput): Promise<Database> {
  const server = await joinEmbeddedServer({ dataDirectory })
  const revive = () =>
    server.revive().catch((error: Error) => {
      log.error('the embedded database could not be restarted', { error })
    })
  const { url, leave } = server
  return migrated(openPostgres({ url, namesCalls: true, revive, leave, queryTimeoutMs }), url)
}

async function migrated(database: Database, directUrl: string): Promise<Database> {
  try {
    await migrateDatabase({ database, directUrl })
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}
