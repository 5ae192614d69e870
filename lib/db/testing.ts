import 'server-only'
import { createHash, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe } from '@jest/globals'
import pg from 'pg'
import type { Database } from './database'
import { FUNCTIONS } from './migrations/functions'
import { MIGRATIONS } from './migrations/migrations'
import { openDatabaseAt } from './open-database'

/** Creating a database takes a moment, or a few seconds on a busy machine. */
const OPEN_TIMEOUT_MS = 60_000

/** Runs tests on a fresh, migrated database of the test run's PostgreSQL, which is dropped afterwards. */
export function describeOnPostgres(
  name: string,
  tests: (getDatabase: () => Database, getUrl: () => string) => void,
): void {
  describe(name, () => {
    let opened: TestDatabase | null = null
    beforeAll(async () => {
      opened = await openTestDatabase()
    }, OPEN_TIMEOUT_MS)
    const get = () => {
      if (!opened) throw new Error('The database is open only inside a test.')
      return opened
    }
    tests(get, () => get().url)
    // Last, since hooks run in the order of their definition: what uses the database ends its work there first.
    afterAll(() => opened?.close(), OPEN_TIMEOUT_MS)
  })
}

export interface TestDatabase extends Database {
  readonly url: string
}

/** A fresh database of the test run's PostgreSQL, which is dropped when it is closed. */
export async function openTestDatabase(): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await asSuperuser(async query => {
    await prepareTemplate(query)
    await query(`create database ${name} template ${TEMPLATE}`)
  })
  const url = urlOf(name)
  const database = await openDatabaseAt(url)
  return {
    ...database,
    url,
    async close() {
      await database.close()
      await asSuperuser(query => query(`drop database if exists ${name} with (force)`))
    },
  }
}

/**
 * A migrated database: to copy it takes a fraction of the time of the migrations. Its name is that of its schema, so
 * that a server which outlives the test run never serves another one's.
 */
const TEMPLATE = `test_template_${createHash('sha256')
  .update(JSON.stringify([MIGRATIONS, FUNCTIONS]))
  .digest('hex')
  .slice(0, 16)}`

/** Once per test run, by whichever process needs it first. Nobody else may be connected to what is copied. */
async function prepareTemplate(query: Query): Promise<void> {
  await query('select pg_advisory_lock(1)')
  const { rows } = await query(`select from pg_database where datname = '${TEMPLATE}'`)
  if (rows.length === 0) {
    const unfinished = `${TEMPLATE}_unfinished`
    await query(`drop database if exists ${unfinished}`)
    await query(`create database ${unfinished}`)
    await (await openDatabaseAt(urlOf(unfinished))).close()
    await query(`alter database ${unfinished} rename to ${TEMPLATE}`)
  }
  await query('select pg_advisory_unlock(1)')
}

type Query = (statement: string) => Promise<pg.QueryResult>

async function asSuperuser(ask: (query: Query) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl() })
  await client.connect()
  try {
    await ask(statement => client.query(statement))
  } finally {
    await client.end()
  }
}

function urlOf(databaseName: string): string {
  const url = new URL(serverUrl())
  url.pathname = `/${databaseName}`
  return url.href
}

function serverUrl(): string {
  const url = process.env.TEST_POSTGRES_URL
  if (!url) throw new Error('TEST_POSTGRES_URL is not set: run these tests with npm run test:unit.')
  return url
}
