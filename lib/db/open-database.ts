import 'server-only'
import type { Database } from './database'
import { DatabaseError } from './database-error'
import { migrateDatabase } from './migrate-database'
import { openEmbedded } from './open-embedded'
import { openPostgres } from './open-postgres'
import { isLostConnection } from './retry-lost-connection'

export interface OpenDatabaseInput {
  /** A PostgreSQL URL, a transaction-mode pooler's included; null opens the embedded database. */
  url: string | null
  /** A direct connection for migrations, where `url` is a pooler's. */
  directUrl: string | null
  /** Where the embedded database lives; null keeps it in memory, for tests. */
  dataDirectory: string | null
}

/**
 * Opens the database and brings its schema up to date. The caller keeps the promise: one database per
 * process.
 *
 * @throws DatabaseError directory_in_use | unreachable | newer_schema
 */
export async function openDatabase(input: OpenDatabaseInput): Promise<Database> {
  const database = input.url === null ? await openEmbedded(input) : openPostgres({ url: input.url })
  try {
    await migrateDatabase({ database, directUrl: input.directUrl })
    return database
  } catch (error) {
    await database.close()
    throw isLostConnection(error) ? unreachable(input.url, error) : error
  }
}

/** Names the server alone: the rest of the URL holds the password. */
function unreachable(url: string | null, cause: unknown): DatabaseError {
  const host = url === null ? 'the embedded database' : new URL(url).host
  return new DatabaseError('unreachable', `The database at ${host} does not answer.`, { cause })
}
