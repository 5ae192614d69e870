import 'server-only'
import { createHash } from 'node:crypto'
import { CompiledQuery, type Kysely, sql } from 'kysely'
import type { Database } from './database'
import { DatabaseError } from './database-error'
import { type DatabaseFunction, FUNCTIONS, FUNCTIONS_VERSION } from './migrations/functions'
import type { Migration } from './migrations/migration'
import { MIGRATIONS } from './migrations/migrations'
import { openPostgres, PATIENT_QUERY_TIMEOUT_MS } from './open-postgres'
import { retryLostConnection } from './retry-lost-connection'
import type { Schema } from './schema'

/** Any constant. Every starting server takes the lock, so that one of them migrates while the others wait. */
const MIGRATION_LOCK = 7_205_759_403_792_794n

/**
 * Brings the schema up to date, in one transaction: the missing `migrations/` in order, and then every function whose
 * text has changed, unless a newer version has changed it.
 *
 * @throws DatabaseError newer_schema if the database has migrations unknown to this version, older_schema if it is from
 * before the first release, other_database if `directUrl` is that of another one
 */
export async function migrateDatabase(input: {
  database: Database
  /** A connection without a pooler, on which a step may take as long as it needs. */
  directUrl: string
}): Promise<void> {
  const { migrations, functions, unfinished } = await findMissing(input.database.kysely)
  if (migrations.length === 0 && functions.length === 0 && unfinished.length === 0) return
  const direct = openPostgres({
    url: input.directUrl,
    connectionCountMax: 1,
    queryTimeoutMs: PATIENT_QUERY_TIMEOUT_MS,
  })
  try {
    // If a call and a step wait for each other's tables, PostgreSQL aborts one of them.
    await retryLostConnection(() => applyMissing(direct.kysely))
    for (const migration of (await findMissing(direct.kysely)).unfinished)
      await finish(direct.kysely, migration)
  } finally {
    await direct.close()
  }
  const left = await findMissing(input.database.kysely)
  if (left.migrations.length === 0) return
  throw new DatabaseError(
    'other_database',
    'DATABASE_URL and DATABASE_DIRECT_URL name different databases: what the second one has is still missing in the first. Set both to the same database.',
  )
}

/**
 * Also of a schema that a newer version has brought further meanwhile: this server could not start on it, but goes on.
 *
 * @throws DatabaseError read_only: nothing can be paid for, whatever the schema
 */
export async function isMigrated(kysely: Kysely<Schema>): Promise<boolean> {
  await refuseReadOnly(kysely)
  try {
    const { migrations, functions } = await findMissing(kysely)
    return migrations.length === 0 && functions.length === 0
  } catch (error) {
    if (error instanceof DatabaseError && error.code === 'newer_schema') return true
    throw error
  }
}

/** A replica, or a database that was closed for writing, as Supabase does when a disk is nearly full. */
async function refuseReadOnly(kysely: Kysely<Schema>): Promise<void> {
  const { rows } = await kysely.executeQuery<{ value: string }>(
    CompiledQuery.raw(`select current_setting('transaction_read_only') as value`),
  )
  if (rows[0]?.value === 'on')
    throw new DatabaseError('read_only', 'The database can be read, but not written to.')
}

const run = (kysely: Kysely<Schema>, statement: string) => kysely.executeQuery(CompiledQuery.raw(statement))

/** Without the statement timeout of a provider or a role, which is meant for pages: Supabase's is two minutes. */
function patientTransaction<Result>(
  kysely: Kysely<Schema>,
  work: (transaction: Kysely<Schema>) => Promise<Result>,
): Promise<Result> {
  return kysely.transaction().execute(async transaction => {
    await run(transaction, 'set local statement_timeout = 0')
    return work(transaction)
  })
}

async function applyMissing(kysely: Kysely<Schema>): Promise<void> {
  await patientTransaction(kysely, async transaction => {
    // A transaction-level lock, because a pooler provides no session that could hold another kind.
    await run(transaction, `select pg_advisory_xact_lock(${MIGRATION_LOCK})`)
    const { migrations, functions } = await findMissing(transaction)
    for (const { name, statements } of migrations) {
      for (const statement of statements) await run(transaction, statement)
      await transaction.insertInto('schema_migration').values({ name }).execute()
    }
    for (const { name, statements, text_hash } of functions) {
      for (const statement of statements) await run(transaction, statement)
      const applied = { text_hash, version: FUNCTIONS_VERSION }
      await transaction
        .insertInto('schema_function')
        .values({ name, ...applied })
        .onConflict(conflict => conflict.column('name').doUpdateSet({ ...applied, applied_at: sql`now()` }))
        .execute()
    }
    // Only now does the column exist for certain.
    const unfinished = migrations.filter(hasAfterwards).map(({ name }) => name)
    if (unfinished.length > 0)
      await transaction
        .updateTable('schema_migration')
        .set({ is_unfinished: true })
        .where('name', 'in', unfinished)
        .execute()
  })
}

async function finish(kysely: Kysely<Schema>, { name, afterwards = [] }: Migration): Promise<void> {
  for (const statement of afterwards)
    await retryLostConnection(() => patientTransaction(kysely, transaction => run(transaction, statement)))
  const finished = kysely
    .updateTable('schema_migration')
    .set({ is_unfinished: false })
    .where('name', '=', name)
  await retryLostConnection(() => finished.execute())
}

const hasAfterwards = ({ afterwards = [] }: Migration) => afterwards.length > 0

async function findMissing(kysely: Kysely<Schema>) {
  const wanted = FUNCTIONS.map(wanted => ({ ...wanted, text_hash: textHash(wanted) }))
  const { rows } = await kysely.executeQuery<{ present: boolean }>(
    CompiledQuery.raw(`select to_regclass('schema_migration') is not null as present`),
  )
  if (!rows[0]?.present) return { migrations: MIGRATIONS, functions: wanted, unfinished: [] }
  const { migrations, unfinished } = await missingMigrations(kysely)
  const applied = await kysely
    .selectFrom('schema_function')
    // Read via JSON, because the column may not exist yet.
    .select([
      'name',
      'text_hash',
      sql<number | null>`(to_jsonb(schema_function) ->> 'version')::int`.as('version'),
    ])
    .execute()
  const present = new Map(applied.map(({ name, ...text }) => [name, text]))
  const isNewer = applied.some(({ version }) => (version ?? 0) > FUNCTIONS_VERSION)
  const isMissing = ({ name, text_hash }: { name: string; text_hash: string }) =>
    isNewer ? !present.has(name) : present.get(name)?.text_hash !== text_hash
  return { migrations, functions: wanted.filter(isMissing), unfinished }
}

async function missingMigrations(kysely: Kysely<Schema>) {
  const applied = await kysely
    .selectFrom('schema_migration')
    // Read via JSON, because the column may not exist yet.
    .select([
      'name',
      sql<boolean | null>`(to_jsonb(schema_migration) ->> 'is_unfinished')::boolean`.as('is_unfinished'),
    ])
    .execute()
  const names = new Set(applied.map(({ name }) => name))
  // Until the first release, a single step replaced all earlier ones.
  if (!names.has(MIGRATIONS[0].name)) {
    throw new DatabaseError(
      'older_schema',
      'The database was created by a version from before the first release. This version cannot read its tables. ' +
        'Start with an empty database: set another DATABASE_URL, or another DATA_DIR.',
    )
  }
  const known = new Set<string>(MIGRATIONS.map(migration => migration.name))
  const unknown = applied.find(({ name }) => !known.has(name))
  if (unknown) {
    throw new DatabaseError(
      'newer_schema',
      `The database was migrated by a newer version (${unknown.name}). Run that version.`,
    )
  }
  const unfinishedNames = new Set(applied.filter(row => row.is_unfinished).map(({ name }) => name))
  return {
    migrations: MIGRATIONS.filter(({ name }) => !names.has(name)),
    unfinished: MIGRATIONS.filter(({ name }) => unfinishedNames.has(name)),
  }
}

function textHash({ statements }: DatabaseFunction): string {
  return createHash('sha256').update(statements.join('\0')).digest('hex')
}
