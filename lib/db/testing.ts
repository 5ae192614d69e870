import 'server-only'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe } from '@jest/globals'
import pg from 'pg'
import type { Database } from './database'
import { openDatabaseAt } from './open-database'

/** Creating and migrating a database takes a second, or a few on a busy machine. */
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
    afterAll(() => opened?.close(), OPEN_TIMEOUT_MS)
    const get = () => {
      if (!opened) throw new Error('The database is open only inside a test.')
      return opened
    }
    tests(get, () => get().url)
  })
}

export interface TestDatabase extends Database {
  readonly url: string
}

/** A fresh database of the test run's PostgreSQL, which is dropped when it is closed. */
export async function openTestDatabase(): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await asSuperuser(`create database ${name}`)
  const url = new URL(serverUrl())
  url.pathname = `/${name}`
  const database = await openDatabaseAt(url.href)
  return {
    ...database,
    url: url.href,
    async close() {
      await database.close()
      await asSuperuser(`drop database if exists ${name} with (force)`)
    },
  }
}

async function asSuperuser(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl() })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

function serverUrl(): string {
  const url = process.env.TEST_POSTGRES_URL
  if (!url) throw new Error('TEST_POSTGRES_URL is not set: run these tests with npm run test:unit.')
  return url
}
