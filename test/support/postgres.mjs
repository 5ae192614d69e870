import { startPrivatePostgres } from './private-postgres.ts'

/**
 * Starts a real PostgreSQL for a test run, unless `TEST_DATABASE_URL` names an existing server.
 *
 * @returns {Promise<{url: string, stop: () => Promise<void>}>} a superuser's URL of its `postgres` database
 */
export async function startPostgres() {
  const given = process.env.TEST_DATABASE_URL
  return given ? { url: given, stop: async () => {} } : startPrivatePostgres()
}
