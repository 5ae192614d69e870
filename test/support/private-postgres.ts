import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
// Loaded by Node itself, before anything could resolve a name without its extension.
import { joinEmbeddedServer } from '../../lib/db/embedded/server.ts'

/** Only for data that may be lost with the machine. Every test file has a pool of its own. */
const SETTINGS = { fsync: 'off', max_connections: '200' }
const POLL_INTERVAL_MS = 5

export interface PrivatePostgres {
  /** A superuser's, for its `postgres` database. */
  url: string
  /** Like `pg_ctl stop -m immediate`, then `start`: nothing is cleaned up, and the start recovers from the log. */
  restartImmediately(): Promise<void>
  stop(): Promise<void>
}

/** Starts a separate PostgreSQL for a test that needs one to itself, from the product's binaries. */
export async function startPrivatePostgres(): Promise<PrivatePostgres> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'tuppence-postgres-'))
  const server = await joinEmbeddedServer({ dataDirectory, settings: SETTINGS })
  const pidFile = join(dataDirectory, 'postgres/postmaster.pid')
  return {
    url: server.url,
    async restartImmediately() {
      process.kill(Number.parseInt(readFileSync(pidFile, 'utf8'), 10), 'SIGQUIT')
      while (existsSync(pidFile)) await delay(POLL_INTERVAL_MS)
      await server.revive()
    },
    async stop() {
      await server.leave()
      await rm(dataDirectory, { recursive: true, force: true })
    },
  }
}
