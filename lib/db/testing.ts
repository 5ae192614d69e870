import 'server-only'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe } from '@jest/globals'
import pg from 'pg'
import type { Database } from './database'
import { openDatabase } from './open-database'

/** Starting PGlite takes some seconds on a busy machine. */
const OPEN_TIMEOUT_MS = 60_000

/**
 * Runs the same tests on a fresh PGlite in memory and on a fresh database of the test run's PostgreSQL
 * (`TEST_POSTGRES_URL`), migrated, dropped afterwards.
 */
export function describeOnBothDatabases(name: string, tests: (getDatabase: () => Database) => void): void {
  describeOnEmbedded(name, tests)
  describeOnPostgres(name, tests)
}

export function describeOnEmbedded(name: string, tests: (getDatabase: () => Database) => void): void {
  describeOn(`${name} (embedded)`, tests, () =>
    openDatabase({ url: null, directUrl: null, dataDirectory: null }),
  )
}

/** For what a single connection cannot show: real concurrency, lost connections. */
export function describeOnPostgres(
  name: string,
  tests: (getDatabase: () => Database, getUrl: () => string) => void,
): void {
  const server = new TestServer()
  describeOn(
    `${name} (PostgreSQL)`,
    getDatabase => tests(getDatabase, () => server.databaseUrl),
    async () => {
      await server.createDatabase()
      return openDatabase({ url: server.databaseUrl, directUrl: null, dataDirectory: null })
    },
    () => server.dropDatabase(),
  )
}

function describeOn(
  name: string,
  tests: (getDatabase: () => Database) => void,
  open: () => Promise<Database>,
  afterClose: () => Promise<void> = async () => {},
): void {
  describe(name, () => {
    let database: Database | null = null
    beforeAll(async () => {
      database = await open()
    }, OPEN_TIMEOUT_MS)
    afterAll(async () => {
      await database?.close()
      await afterClose()
    }, OPEN_TIMEOUT_MS)
    tests(() => {
      if (!database) throw new Error('The database is open only inside a test.')
      return database
    })
  })
}

/** A database of its own for one group of tests. */
class TestServer {
  readonly #name = `test_${randomUUID().replaceAll('-', '')}`

  get databaseUrl(): string {
    const url = new URL(serverUrl())
    url.pathname = `/${this.#name}`
    return url.href
  }

  createDatabase(): Promise<void> {
    return this.#asSuperuser(`create database ${this.#name}`)
  }

  dropDatabase(): Promise<void> {
    return this.#asSuperuser(`drop database if exists ${this.#name} with (force)`)
  }

  async #asSuperuser(statement: string): Promise<void> {
    const client = new pg.Client({ connectionString: serverUrl() })
    await client.connect()
    try {
      await client.query(statement)
    } finally {
      await client.end()
    }
  }
}

function serverUrl(): string {
  const url = process.env.TEST_POSTGRES_URL
  if (!url) throw new Error('TEST_POSTGRES_URL is not set: run these tests with npm run test:unit.')
  return url
}
