import 'server-only'
import { CompiledQuery, type Kysely } from 'kysely'
import type { Database } from './database'
import { DatabaseError } from './database-error'
import { MIGRATIONS } from './migrations/migrations'
import { openPostgres } from './open-postgres'
import type { Schema } from './schema'

/** Any constant; taken by every starting server, so that one of them migrates and the others wait. */
const MIGRATION_LOCK = 7_205_759_403_792_794n

/**
 * Applies what is missing of `migrations/`, in order, in one transaction.
 *
 * @throws DatabaseError newer_schema when the database knows migrations that this version does not
 */
export async function migrateDatabase(input: {
  database: Database
  directUrl: string | null
}): Promise<void> {
  if ((await missingMigrations(input.database.kysely)).length === 0) return
  if (input.directUrl === null || input.database.kind === 'embedded') {
    return applyMigrations(input.database.kysely)
  }
  const direct = openPostgres({ url: input.directUrl, connectionCountMax: 1 })
  try {
    await applyMigrations(direct.kysely)
  } finally {
    await direct.close()
  }
}

async function applyMigrations(kysely: Kysely<Schema>): Promise<void> {
  await kysely.transaction().execute(async transaction => {
    const run = (statement: string) => transaction.executeQuery(CompiledQuery.raw(statement))
    // A transaction's lock, since a pooler gives no session to keep another kind in.
    await run(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`)
    for (const migration of await missingMigrations(transaction)) {
      for (const statement of migration.statements) await run(statement)
      await transaction.insertInto('schema_migration').values({ name: migration.name }).execute()
    }
  })
}

async function missingMigrations(kysely: Kysely<Schema>) {
  const { rows } = await kysely.executeQuery<{ present: boolean }>(
    CompiledQuery.raw(`select to_regclass('schema_migration') is not null as present`),
  )
  if (!rows[0]?.present) return MIGRATIONS
  const applied = await kysely.selectFrom('schema_migration').select('name').execute()
  const known = new Set(MIGRATIONS.map(migration => migration.name))
  const unknown = applied.find(({ name }) => !known.has(name))
  if (unknown) {
    throw new DatabaseError(
      'newer_schema',
      `The database was migrated by a newer version (${unknown.name}). Run that version.`,
    )
  }
  const names = new Set(applied.map(({ name }) => name))
  return MIGRATIONS.filter(migration => !names.has(migration.name))
}
