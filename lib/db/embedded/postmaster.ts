import { execFileSync, spawn } from 'node:child_process'
import { closeSync, fstatSync, ftruncateSync, openSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Cluster, directoryArgument } from './cluster.ts'
import { findPrograms, PROGRAM_ENVIRONMENT } from './programs.ts'

/**
 * In the cluster's directory, which nobody else can enter. Its name contains a port number, although there is no port.
 */
export const SOCKET_PORT = 5432
export const SOCKET = `.s.PGSQL.${SOCKET_PORT}`

/** Starts, stops and crashes, one line each; the next start truncates the file if it is longer than this. */
const LOG_BYTES_MAX = 1_000_000

/**
 * Small, because the machine has other work, but as durable as any PostgreSQL. Without the processes that only
 * replication needs.
 */
const SETTINGS = {
  listen_addresses: '',
  port: String(SOCKET_PORT),
  unix_socket_directories: '.',
  unix_socket_permissions: '0700',
  // Several servers, and an operator's commands beside them, with ten connections each.
  max_connections: '60',
  shared_buffers: '32MB',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '256MB',
  max_logical_replication_workers: '0',
  io_method: 'sync',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // The caller reports what a statement violates; PostgreSQL's message could contain personal data.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
}

/**
 * Part of the command line, so that another program that was given a dead server's process id is not mistaken for it.
 */
const DIRECTORY_SETTING = 'tuppence.directory'

/**
 * Takes the place of the shell, holding a lock that ends with the server and all its sessions. PostgreSQL recognises a
 * rival by process ids and shared memory, which another container has of its own: two of them on one volume that
 * started at the same moment would destroy its files. Where nothing can be locked (on a Mac, or a full disk), it starts
 * as without: PostgreSQL says best what is wrong.
 */
const START_ALONE = `
true 2> /dev/null >> rival.lock && exec 9>> rival.lock
flock -n -E 75 9 2> /dev/null
[ $? = 75 ] && echo 'The directory is still in use.' && exit 75
exec "$0" "$@"`

export interface Postmaster {
  hasEnded(): boolean
  /** The last line that it logged before it ended. */
  lastLogLine(): string
}

/**
 * Starts PostgreSQL in a session of its own, so that it survives the end of this process or its terminal.
 *
 * @param deadPid the process id in the directory if that server is no longer running
 */
export async function startPostmaster(
  { directory, account }: Cluster,
  settings: Record<string, string>,
  deadPid: number | null,
): Promise<Postmaster> {
  const { postgres } = await findPrograms(account)
  const options = { ...SETTINGS, [DIRECTORY_SETTING]: realpathSync(directory), ...settings }
  // This file names the same process; of two simultaneous starts, the other lock file lets only one continue.
  rmSync(join(directory, `${SOCKET}.lock`), { force: true })
  const log = openLog(directory)
  const child = spawn(
    '/bin/sh',
    [
      '-c',
      START_ALONE,
      postgres,
      '-D',
      directoryArgument(directory),
      ...Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    {
      cwd: directory,
      ...account,
      detached: true,
      stdio: ['ignore', log.file, log.file],
      // PostgreSQL takes an existing process of that id for a live rival unless it is told that this is its
      // grandparent. The process may be a zombie whose parent never reaps it, or by now another program.
      env: { ...PROGRAM_ENVIRONMENT, ...(deadPid !== null && { PG_GRANDPARENT_PID: String(deadPid) }) },
    },
  )
  closeSync(log.file)
  let spawnError: string | null = null
  child.once('error', error => {
    spawnError = `FATAL: ${error.message}`
  })
  child.unref()
  return {
    hasEnded: () => spawnError !== null || child.exitCode !== null || child.signalCode !== null,
    lastLogLine() {
      const text = readFileSync(/* turbopackIgnore: true */ log.path).subarray(log.offset).toString('utf8')
      // Sessions of the previous server, which only now notice that it is dead, log to the same file.
      const allLines = text.split('\n')
      const lines = allLines.filter(line => line.includes(`[${child.pid}]`))
      const fatal = lines.findLast(line => /FATAL|PANIC/.test(line))
      // What it says before it logs has no process id, such as that a file of the directory is missing.
      const early = allLines.findLast(line => line.startsWith('postgres: '))?.replace('postgres', 'FATAL')
      return spawnError ?? fatal ?? early ?? lines.at(-1) ?? ''
    },
  }
}

/** The process id in the directory, and whether that process is alive and its PostgreSQL. */
export function findPostmaster({ directory }: Cluster): { pid: number | null; isRunning: boolean } {
  const pid = readPid(directory)
  if (pid === null) return { pid, isRunning: false }
  return { pid, isRunning: commandOf(pid).includes(`${DIRECTORY_SETTING}=${realpathSync(directory)}`) }
}

/**
 * Requests a "fast shutdown": running statements are rolled back, and what was committed is kept. @returns whether it
 * was running
 */
export function askToStop(cluster: Cluster): boolean {
  const { pid, isRunning } = findPostmaster(cluster)
  if (pid === null || !isRunning) return false
  try {
    process.kill(pid, 'SIGINT')
  } catch {
    // It has just ended.
  }
  return true
}

function readPid(directory: string): number | null {
  try {
    const pid = Number.parseInt(readFileSync(join(directory, 'postmaster.pid'), 'utf8'), 10)
    return pid > 0 ? pid : null
  } catch {
    return null
  }
}

/** Empty for a zombie. */
function commandOf(pid: number): string {
  try {
    return process.platform === 'linux'
      ? readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      : execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
  } catch {
    return ''
  }
}

/** Beside the directory: within it, the account that owns it could redirect root to another file. */
function openLog(directory: string): { path: string; file: number; offset: number } {
  const path = `${directory}.log`
  const file = openSync(path, 'a', 0o600)
  if (fstatSync(file).size > LOG_BYTES_MAX) ftruncateSync(file)
  return { path, file, offset: fstatSync(file).size }
}
