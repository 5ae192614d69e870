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
  const database = openPostgres({ url, queryTimeoutMs, keepAlive })
  try {
    return await migrated(database, directUrl ?? url)
  } catch (error) {
    throw error instanceof DatabaseError ? error : unusable([url, directUrl ?? url], error)
  }
}

/** Names only the servers: the rest of the URLs contains the password. */
function unusable(urls: readonly string[], cause: unknown): DatabaseError {
  const servers = [...new Set(urls.map(url => new URL(url).host))].join(' or ')
  const what = isLostConnection(cause) ? 'does not answer' : 'cannot be used'
  // Several addresses of one name that all refuse are an error without words.
  const { message, code } = cause as NodeJS.ErrnoException
  return new DatabaseError('unreachable', `The database at ${servers} ${what} (${message || code}).`, {
    cause,
  })
}

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
