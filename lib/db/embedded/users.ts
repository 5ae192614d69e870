import { spawn } from 'node:child_process'
import { closeSync, constants, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { DatabaseError } from '../database-error.ts'
import type { Cluster } from './cluster.ts'
import { PROGRAM_ENVIRONMENT } from './programs.ts'

/** A named pipe that every process using the database keeps open. */
const PIPE = 'users'

/** A shell starts within milliseconds; a machine that takes this long has other problems. */
const WATCH_TIMEOUT_MS = 10_000
const POLL_INTERVAL_MS = 5

/**
 * A shell in a session of its own. Nobody writes to the pipe: reading it ends when its last user has closed it or died,
 * for whatever reason, and then PostgreSQL is told to stop. The working directory of the process is checked as well,
 * because its id may have been reused.
 */
const WATCH = `
trap '' HUP INT TERM
[ -p ${PIPE} ] || mkfifo -m 600 ${PIPE}
read -r nothing < ${PIPE}
read -r pid < postmaster.pid || exit 0
if [ -e /proc/self ]; then [ "/proc/$pid/cwd" -ef . ]; else ps -o command= -p "$pid" | grep -qF "$PWD"; fi &&
kill -INT "$pid"`

export interface User {
  /** Returns whether it was the last one. */
  leave(): boolean
}

/** Registers this process as a user of the database, so that its end is noticed, orderly or not. */
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
      // The pipe does not exist yet, or nobody is reading it.
      if (!['ENOENT', 'ENXIO'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    }
    if (!isWatched) startWatching(cluster)
    isWatched = true
    await delay(POLL_INTERVAL_MS)
  }
  throw new DatabaseError(
    'embedded_failed',
    `The process that watches the database in ${cluster.directory} could not be started.`,
  )
}

function startWatching({ directory, account }: Cluster): void {
  const options = { cwd: directory, ...account, env: PROGRAM_ENVIRONMENT }
  spawn('/bin/sh', ['-c', WATCH], { ...options, detached: true, stdio: 'ignore' })
    .once('error', () => {})
    .unref()
}

/**
 * Reading reports the end of the file if nobody has the pipe open for writing; otherwise it reports that there are no
 * data yet.
 */
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
