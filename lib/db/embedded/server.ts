import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { DatabaseError } from '../database-error.ts'
import { type Cluster, openCluster } from './cluster.ts'
import {
  askToStop,
  findPostmaster,
  type Postmaster,
  SOCKET,
  SOCKET_PORT,
  startPostmaster,
} from './postmaster.ts'
import { enter } from './users.ts'

/** A start that recovers from a crash replays a few hundred megabytes at most. */
const START_TIMEOUT_MS = 60_000
/** Stopping ends sessions and writes what is in memory, 32 MB at most. */
const STOP_TIMEOUT_MS = 10_000
const CONNECT_TIMEOUT_MS = 5_000
const POLL_INTERVAL_MS = 20
const TOO_MANY_CONNECTIONS = '53300'
/** A full disk, or a file that cannot be used: waiting does not help, and only the server knows the reason. */
const UNUSABLE = /^(?:53100|58...)$/

/** Systems allow 104 bytes or more for the path of a socket. */
const SOCKET_PATH_BYTES_MAX = 100

/** A real PostgreSQL server in a data directory, shared by all processes that join it. */
export interface EmbeddedServer {
  /** As superuser; anybody with access to the directory can connect. */
  readonly url: string
  /** Resolves when the server answers, restarted if it had died. */
  revive(): Promise<void>
  /** The last process to leave waits until the server has stopped. */
  leave(): Promise<void>
}

/**
 * Joins the server of a data directory, creating and starting it if necessary. It stops when the last process that uses
 * it has left or died.
 *
 * Node also runs these files directly (for the set-up of tests), so imports have file extensions, and `server-only` is
 * imported by whoever opens the database instead.
 *
 * @throws DatabaseError earlier_database | no_programs | embedded_failed
 */
export async function joinEmbeddedServer(input: {
  dataDirectory: string
  /** In addition to its own, for tests. */
  settings?: Record<string, string>
}): Promise<EmbeddedServer> {
  const cluster = await openCluster(input.dataDirectory)
  const socket = openSocketFolder(cluster.directory)
  const url = `postgres://postgres@localhost:${SOCKET_PORT}/postgres?host=${encodeURIComponent(socket.folder)}`
  let user = await enter(cluster)
  let reviving: Promise<void> | null = null

  const revive = async () => {
    await bringUp(cluster, url, input.settings ?? {})
    // The watching process may have just ended, together with the previous server.
    const earlier = user
    user = await enter(cluster)
    earlier.leave()
  }
  try {
    await revive()
  } catch (error) {
    user.leave()
    socket.close()
    throw error
  }
  return {
    url,
    revive() {
      reviving ??= revive().finally(() => {
        reviving = null
      })
      return reviving
    },
    async leave() {
      await reviving?.catch(() => {})
      socket.close()
      if (user.leave()) await stop(cluster)
    },
  }
}

async function bringUp(cluster: Cluster, url: string, settings: Record<string, string>): Promise<void> {
  const deadlineMs = performance.now() + START_TIMEOUT_MS
  let started: Postmaster | null = null
  for (;;) {
    const state = await askState(cluster, url)
    if (state === 'ready') return
    if (state === 'stopping') askToStop(cluster)
    const { pid, isRunning } = findPostmaster(cluster)
    if (state === 'away' && !isRunning && (started?.hasEnded() ?? true)) {
      if (started && !isTransient(started)) throw failed(cluster, `did not start: ${started.lastLogLine()}`)
      started = await startPostmaster(cluster, settings, pid)
    }
    if (performance.now() > deadlineMs) throw failed(cluster, 'does not answer')
    await delay(POLL_INTERVAL_MS)
  }
}

/** Other processes were just starting or stopping the server, or it was told to stop before it was running. */
function isTransient(ended: Postmaster): boolean {
  return !/FATAL|PANIC/.test(ended.lastLogLine()) || /already exists|still in use/.test(ended.lastLogLine())
}

type State = 'ready' | 'busy' | 'stopping' | 'away'

/** @throws DatabaseError embedded_failed if the server cannot open any session */
async function askState(cluster: Cluster, url: string): Promise<State> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.end()
    return 'ready'
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    if (code === 'ENOENT' || code === 'ECONNREFUSED') return 'away'
    if (code === TOO_MANY_CONNECTIONS) return 'ready'
    if (UNUSABLE.test(code ?? '')) throw failed(cluster, `cannot be used: ${message}`)
    return message.includes('shutting down') ? 'stopping' : 'busy'
  }
}

async function stop(cluster: Cluster): Promise<void> {
  const deadlineMs = performance.now() + STOP_TIMEOUT_MS
  while (askToStop(cluster) && performance.now() < deadlineMs) await delay(POLL_INTERVAL_MS)
}

/** If a directory's path is too long for a socket, Linux offers a shorter name while the directory is open. */
function openSocketFolder(directory: string): { folder: string; close(): void } {
  if (Buffer.byteLength(join(directory, SOCKET)) <= SOCKET_PATH_BYTES_MAX) {
    return { folder: directory, close() {} }
  }
  if (process.platform !== 'linux') {
    const message = `The path of ${directory} is too long for a socket. Set DATA_DIR to a shorter path.`
    throw new DatabaseError('embedded_failed', message)
  }
  const file = openSync(directory, 'r')
  return { folder: `/proc/self/fd/${file}`, close: () => closeSync(file) }
}

function failed({ directory }: Cluster, what: string): DatabaseError {
  return new DatabaseError('embedded_failed', `The database in ${directory} ${what}.`)
}
