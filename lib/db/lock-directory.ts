import 'server-only'
import { link, open, readFile, rename, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { DatabaseError } from './database-error'
import { describeProcess, isAlive, type ProcessMark } from './process-mark'

/** Two starters may both find a dead owner; each round one of them wins. */
const ATTEMPT_COUNT_MAX = 5

/** What this process has open, shared by every copy of this module that a bundler makes. */
const HELD_KEY = Symbol.for('tuppence.lockedDirectories')
const processWide = globalThis as typeof globalThis & { [HELD_KEY]?: Set<string> }

export interface DirectoryLock {
  release(): Promise<void>
}

/**
 * Takes `<directory>.lock`, created with O_EXCL and naming this process. A lock whose process is gone
 * is reaped; so is one with our own id, left by an earlier process in a container where every process
 * is number 1.
 *
 * @throws DatabaseError directory_in_use
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  processWide[HELD_KEY] ??= new Set()
  const held = processWide[HELD_KEY]
  const path = `${resolve(directory)}.lock`
  if (held.has(path)) throw inUse(directory, process.pid)
  held.add(path)
  try {
    await acquire(directory, path)
  } catch (error) {
    held.delete(path)
    throw error
  }
  return {
    release: async () => {
      await rm(path, { force: true })
      held.delete(path)
    },
  }
}

async function acquire(directory: string, path: string): Promise<void> {
  const mark = JSON.stringify(await describeProcess(process.pid))
  for (let attempt = 0; attempt < ATTEMPT_COUNT_MAX; attempt += 1) {
    if (await createLock(path, mark)) return
    const text = await readFile(/* turbopackIgnore: true */ path, 'utf8').catch(() => null)
    if (text === null) continue
    const owner = parseMark(text)
    if (owner && owner.pid !== process.pid && (await isAlive(owner))) throw inUse(directory, owner.pid)
    await reap(path, text)
  }
  throw new DatabaseError('directory_in_use', `${directory} is being opened by several processes at once.`)
}

async function createLock(path: string, mark: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx')
    await file.writeFile(mark)
    await file.close()
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/**
 * Moves the dead lock aside rather than deleting by name: had another starter replaced it meanwhile, the
 * file in hand is a live one and goes back.
 */
async function reap(path: string, deadText: string): Promise<void> {
  const aside = `${path}.${process.pid}`
  try {
    await rename(path, aside)
  } catch {
    return
  }
  if ((await readFile(/* turbopackIgnore: true */ aside, 'utf8')) !== deadText)
    await link(aside, path).catch(() => {})
  await rm(aside, { force: true })
}

/** Null for a lock that was cut off while it was written: its owner never opened the database. */
function parseMark(text: string): ProcessMark | null {
  try {
    const { pid, startedAt } = JSON.parse(text)
    return Number.isInteger(pid) ? { pid, startedAt: typeof startedAt === 'string' ? startedAt : null } : null
  } catch {
    return null
  }
}

function inUse(directory: string, pid: number): DatabaseError {
  return new DatabaseError(
    'directory_in_use',
    `The database in ${directory} is already open in process ${pid}. Stop that process, or give this one a DATA_DIR of its own.`,
  )
}
