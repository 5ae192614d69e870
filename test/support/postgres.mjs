import { startPrivatePostgres } from './private-postgres.ts'

/**
 * Starts a real PostgreSQL for a test run. `TEST_DATABASE_URL` names a server that is already there instead.
 *
 * @returns {Promise<{url: string, stop: () => Promise<void>}>} a superuser's URL to its `postgres` database
 */
export async function startPostgres() {
  const given = process.env.TEST_DATABASE_URL
  return given ? { url: given, stop: async () => {} } : startPrivatePostgres()
}
