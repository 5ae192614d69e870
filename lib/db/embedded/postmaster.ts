import { execFileSync, spawn } from 'node:child_process'
import { closeSync, fstatSync, ftruncateSync, openSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Cluster, directoryArgument } from './cluster.ts'
import { findPrograms, PROGRAM_ENVIRONMENT } from './programs.ts'

/** In the cluster's directory, which nobody else may enter; named by its port, though it has none. */
export const SOCKET_PORT = 5432
export const SOCKET = `.s.PGSQL.${SOCKET_PORT}`

/** Starts, stops and crashes, one line each; begun anew by the start that finds it longer than this. */
const LOG_BYTES_MAX = 1_000_000

/**
 * Small, for a machine that has other work; as durable as any PostgreSQL. Of its processes only those that
 * a single server without replication needs.
 */
const SETTINGS = {
  listen_addresses: '',
  port: String(SOCKET_PORT),
  unix_socket_directories: '.',
  unix_socket_permissions: '0700',
  // Several servers, and an operator's commands beside them, of ten connections each.
  max_connections: '60',
  shared_buffers: '32MB',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '256MB',
  max_logical_replication_workers: '0',
  io_method: 'sync',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // What a statement violates is its caller's to tell, and may name people.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
}

/** On its command line, so that another program that was given a dead one's number is not taken for it. */
const DIRECTORY_SETTING = 'tuppence.directory'

export interface Postmaster {
  hasEnded(): boolean
  /** What it said last before it ended. */
  lastWords(): string
}

/**
 * Starts PostgreSQL in a session of its own: what ends this process, or its terminal, leaves it alone.
 *
 * @param deadPid what the directory names though it is not running
 */
export async function startPostmaster(
  { directory, account }: Cluster,
  settings: Record<string, string>,
  deadPid: number | null,
): Promise<Postmaster> {
  const { postgres } = await findPrograms(account)
  const options = { ...SETTINGS, [DIRECTORY_SETTING]: realpathSync(directory), ...settings }
  // It names the same process; of two that start at once, the other file lets one go on.
  rmSync(join(directory, `${SOCKET}.lock`), { force: true })
  const log = openLog(directory)
  const child = spawn(
    postgres,
    [
      '-D',
      directoryArgument(directory),
      ...Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    {
      cwd: directory,
      ...account,
      detached: true,
      stdio: ['ignore', log.file, log.file],
      // It takes a number that is in use for a living rival's, unless told that this is its grandparent's:
      // such a number may be a zombie's, whose parent never reaps, or by now another program's.
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
    lastWords() {
      const text = readFileSync(/* turbopackIgnore: true */ log.path).subarray(log.offset).toString('utf8')
      // Sessions of the one before it, which notice its death only now, write there too.
      const lines = text.split('\n').filter(line => line.includes(`[${child.pid}]`))
      return spawnError ?? lines.findLast(line => /FATAL|PANIC/.test(line)) ?? lines.at(-1) ?? ''
    },
  }
}

/** The process that the directory names, and whether it lives and is its PostgreSQL. */
export function findPostmaster({ directory }: Cluster): { pid: number | null; isRunning: boolean } {
  const pid = readPid(directory)
  if (pid === null) return { pid, isRunning: false }
  return { pid, isRunning: commandOf(pid).includes(`${DIRECTORY_SETTING}=${realpathSync(directory)}`) }
}

/** As a "fast shutdown": what runs is undone, what was committed is kept. @returns whether it was running */
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

/** A zombie has none. */
function commandOf(pid: number): string {
  try {
    return process.platform === 'linux'
      ? readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      : execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
  } catch {
    return ''
  }
}

/** Beside the directory: in it, the account that it belongs to could lead root to another file. */
function openLog(directory: string): { path: string; file: number; offset: number } {
  const path = `${directory}.log`
  const file = openSync(path, 'a', 0o600)
  if (fstatSync(file).size > LOG_BYTES_MAX) ftruncateSync(file)
  return { path, file, offset: fstatSync(file).size }
}
