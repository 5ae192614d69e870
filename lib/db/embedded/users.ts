import { spawn } from 'node:child_process'
import { closeSync, constants, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { DatabaseError } from '../database-error.ts'
import type { Cluster } from './cluster.ts'
import { PROGRAM_ENVIRONMENT } from './programs.ts'

/** A named pipe, which every process that uses the database holds open. */
const PIPE = 'users'

/** A shell is there in milliseconds; a machine that takes this long has other troubles. */
const WATCH_TIMEOUT_MS = 10_000
const POLL_INTERVAL_MS = 5

/**
 * A shell in a session of its own. Nobody writes into the pipe: reading ends when its last user has closed it
 * or died, in whatever way, and then PostgreSQL is asked to stop. Where the process works is asked as well,
 * since its number may have become another's.
 */
const WATCH = `
trap '' HUP INT TERM
[ -p ${PIPE} ] || mkfifo -m 600 ${PIPE}
read -r nothing < ${PIPE}
read -r pid < postmaster.pid || exit 0
if [ -e /proc/self ]; then [ "/proc/$pid/cwd" -ef . ]; else ps -o command= -p "$pid" | grep -qF "$PWD"; fi &&
kill -INT "$pid"`

export interface User {
  /** Whether it was the last one. */
  leave(): boolean
}

/** Makes this process one of the database's users, whose end, orderly or not, is noticed. */
export async function enter(cluster: Cluster): Promise<User> {
  const path = join(cluster.directory, PIPE)
  const entry = await openWatchedPipe(path, cluster)
  return {
    leave() {
      closeSync(entry)
      return !isOpenElsewhere(path)
    },
  }
}

async function openWatchedPipe(path: string, cluster: Cluster): Promise<number> {
  let isWatched = false
  for (let waitedMs = 0; waitedMs < WATCH_TIMEOUT_MS; waitedMs += POLL_INTERVAL_MS) {
    try {
      return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
    } catch (error) {
      // The pipe is not there yet, or nobody reads it.
      if (!['ENOENT', 'ENXIO'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    }
    if (!isWatched) startWatching(cluster)
    isWatched = true
    await delay(POLL_INTERVAL_MS)
  }
  throw new DatabaseError(
    'embedded_failed',
    `Nobody could be set to watch the database in ${cluster.directory}.`,
  )
}

function startWatching({ directory, account }: Cluster): void {
  const options = { cwd: directory, ...account, env: PROGRAM_ENVIRONMENT }
  spawn('/bin/sh', ['-c', WATCH], { ...options, detached: true, stdio: 'ignore' })
    .once('error', () => {})
    .unref()
}

/** Reading from a pipe that nobody has open for writing is its end; else there is nothing to be had yet. */
function isOpenElsewhere(path: string): boolean {
  const exit = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    return readSync(exit, new Uint8Array(1)) > 0
  } catch {
    return true
  } finally {
    closeSync(exit)
  }
}
