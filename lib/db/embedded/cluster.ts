import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chown, lchown, mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { DatabaseError } from '../database-error.ts'
import { type Account, findPrograms, PROGRAM_ENVIRONMENT } from './programs.ts'

/** A database directory of PostgreSQL (its word: cluster) and under whose number it runs. */
export interface Cluster {
  directory: string
  account: Account
}

/**
 * PostgreSQL refuses to run as root. This number belongs to nobody: below what containers map, outside what
 * distributions and systemd give away. A shared one, as that of `nobody`, would let other programs in.
 */
const OWN_ACCOUNT = { uid: 61_000, gid: 61_000 }

/** Where an earlier version kept its database, in a form that PostgreSQL's programs cannot read. */
const EARLIER_FOLDER = 'pglite'
const FOLDER = 'postgres'
const UNFINISHED_PREFIX = 'postgres-unfinished-'

/**
 * How a program started in the directory names it. On Linux not by its path: root may keep it where no other
 * account finds a way (its home), while the current directory needs none.
 */
export const directoryArgument = (directory: string) =>
  process.platform === 'linux' ? '/proc/self/cwd' : directory

const INITDB_OPTIONS = [
  '--username=postgres',
  '--auth=trust',
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  // One call for a thousand files: a second less where other programs write too.
  ...(process.platform === 'linux' ? ['--sync-method=syncfs'] : []),
]

const runProgram = promisify(execFile)

/**
 * The cluster under a data directory, made when there is none.
 *
 * @throws DatabaseError earlier_database | no_programs | embedded_failed
 */
export async function openCluster(dataDirectory: string): Promise<Cluster> {
  const parent = resolve(dataDirectory)
  const directory = join(parent, FOLDER)
  await mkdir(parent, { recursive: true }).catch(error => {
    throw failedToMake(directory, error)
  })
  refuseEarlier(parent)
  if (!(await isMade(directory))) await makeCluster(parent, directory)
  return { directory, account: await accountOf(directory) }
}

function refuseEarlier(parent: string): void {
  const earlier = join(parent, EARLIER_FOLDER)
  if (!existsSync(join(earlier, 'PG_VERSION'))) return
  throw new DatabaseError(
    'earlier_database',
    `${earlier} holds the database of an earlier version, which this one cannot read. Pretend money needs no rescue: move it away (mv ${earlier} ${earlier}-old) to start with an empty one.`,
  )
}

/** Its insides are its account's alone to see. */
async function isMade(directory: string): Promise<boolean> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => error.code)
  return names === 'EACCES' || (Array.isArray(names) && names.length > 0)
}

/** Made under another name first: one that was cut off is never taken for a whole one. */
async function makeCluster(parent: string, directory: string): Promise<void> {
  const maker = isRoot() ? await namedAccount() : null
  const { initdb } = await findPrograms(maker)
  const unfinished = await mkdtemp(join(parent, UNFINISHED_PREFIX))
  try {
    if (maker) await chown(unfinished, maker.uid, maker.gid)
    const place = { cwd: unfinished, ...maker, env: PROGRAM_ENVIRONMENT }
    await runProgram(initdb, ['-D', directoryArgument(unfinished), ...INITDB_OPTIONS], place)
    if (maker) await chownAll(unfinished, OWN_ACCOUNT)
    await rename(unfinished, directory)
  } catch (error) {
    // Another start may have been first, and have swept this one's away.
    if (!(await isMade(directory))) throw failedToMake(directory, error)
  }
  for (const name of await readdir(parent)) {
    if (!name.startsWith(UNFINISHED_PREFIX)) continue
    // Where another start still writes into its own, that one sweeps it away.
    await rm(join(parent, name), { recursive: true, force: true }).catch(() => {})
  }
}

async function accountOf(directory: string): Promise<Account> {
  const { uid, gid } = await stat(directory)
  if (isRoot() && uid !== 0) return { uid, gid }
  if (isRoot()) {
    // As a backup is unpacked by root.
    await chownAll(directory, OWN_ACCOUNT)
    return OWN_ACCOUNT
  }
  if (uid === process.getuid?.()) return null
  const remedy = `start as ${uid === OWN_ACCOUNT.uid ? 'root' : 'that account'}, or give it to this one (chown -R)`
  throw new DatabaseError('embedded_failed', `${directory} belongs to account ${uid}: ${remedy}.`)
}

const isRoot = () => process.getuid?.() === 0

/** initdb, and it alone, asks for the name of the account that it runs as. */
async function namedAccount(): Promise<{ uid: number; gid: number }> {
  const users = await readFile('/etc/passwd', 'utf8').catch(() => '')
  const [, uid, gid] = /^nobody:[^:]*:(\d+):(\d+):/m.exec(users) ?? []
  return uid && gid ? { uid: Number(uid), gid: Number(gid) } : OWN_ACCOUNT
}

async function chownAll(directory: string, { uid, gid }: { uid: number; gid: number }): Promise<void> {
  for (const name of await readdir(directory, { recursive: true })) {
    await lchown(join(directory, name), uid, gid)
  }
  await lchown(directory, uid, gid)
}

function failedToMake(directory: string, cause: unknown): DatabaseError {
  const { stderr, message } = cause as { stderr?: string; message: string }
  const reason = (stderr || message).trim().split('\n').at(-1)
  return new DatabaseError('embedded_failed', `The database could not be made in ${directory} (${reason}).`, {
    cause,
  })
}
