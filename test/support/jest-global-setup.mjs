import { startPostgres } from './postgres.mjs'

/** One PostgreSQL for the whole run; each test file creates databases of its own in it. */
export default async function setUp() {
  const postgres = await startPostgres()
  globalThis.testPostgres = postgres
  process.env.TEST_POSTGRES_URL = postgres.url
}
