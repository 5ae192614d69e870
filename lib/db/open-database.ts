import 'server-only'
import { log } from '@/lib/observability/log'
import type { Database } from './database'
import { DatabaseError } from './database-error'
import { joinEmbeddedServer } from './embedded/server'
import { migrateDatabase } from './migrate-database'
import { openPostgres } from './open-postgres'
import { isLostConnection } from './retry-lost-connection'

export interface OpenDatabaseInput {
  /** A PostgreSQL URL, a transaction-mode pooler's included; null opens the embedded database. */
  url: string | null
  /** A direct connection for migrations, where `url` is a pooler's. */
  directUrl: string | null
  /** Where the embedded database lives. */
  dataDirectory: string
  /** More than a page may wait, for an operator's commands. */
  queryTimeoutMs?: number
}

/**
 * Opens the database and brings its schema up to date. The caller keeps the promise: one database per
 * process.
 *
 * @throws DatabaseError
 */
export function openDatabase(input: OpenDatabaseInput): Promise<Database> {
  return input.url === null ? openEmbedded(input) : openDatabaseAt(input.url, input)
}

export async function openDatabaseAt(
  url: string,
  { directUrl, queryTimeoutMs }: Partial<OpenDatabaseInput> = {},
): Promise<Database> {
  const database = openPostgres({ url, queryTimeoutMs })
  try {
    return await migrated(database, directUrl ?? url)
  } catch (error) {
    // Names the server alone: the rest of the URL holds the password.
    const message = `The database at ${new URL(url).host} does not answer.`
    throw isLostConnection(error) ? new DatabaseError('unreachable', message, { cause: error }) : error
  }
}

async function openEmbedded({ dataDirectory, queryTimeoutMs }: OpenDatabaseInput): Promise<Database> {
  const server = await joinEmbeddedServer({ dataDirectory })
  const revive = () =>
    server.revive().catch((error: Error) => {
      log.error('the embedded database does not start again', { error })
    })
  const postgres = openPostgres({ url: server.url, namesCalls: true, revive, queryTimeoutMs })
  let closing: Promise<void> | null = null
  const database: Database = {
    ...postgres,
    close() {
      closing ??= postgres.close().then(server.leave)
      return closing
    },
  }
  return migrated(database, server.url)
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
