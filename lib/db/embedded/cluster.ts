import { existsSync } from 'node:fs'
import { chmod, chown, lchown, mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { DatabaseError } from '../database-error.ts'
import { type Account, findPrograms, PROGRAM_ENVIRONMENT, reasonLines, runProgram } from './programs.ts'

/** A PostgreSQL database directory (PostgreSQL calls it a cluster), and the account that its server runs as. */
export interface Cluster {
  directory: string
  account: Account
}

/**
 * PostgreSQL refuses to run as root. These ids belong to nobody: they are below what containers map, and outside what
 * distributions and systemd assign. A shared account such as `nobody` would give other programs access.
 */
const OWN_ACCOUNT = { uid: 61_000, gid: 61_000 }

/** The folder of an earlier version's database, in a format that PostgreSQL's programs cannot read. */
const EARLIER_FOLDER = 'pglite'
const FOLDER = 'postgres'
const UNFINISHED_PREFIX = 'postgres-unfinished-'

/**
 * How a program that was started in the directory refers to it. On Linux this is not its path: root may keep it where
 * other accounts have no access (its home), but the current directory is always accessible.
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
  // A single call for a thousand files, which saves a second if other programs are writing, too.
  ...(process.platform === 'linux' ? ['--sync-method=syncfs'] : []),
]

/**
 * The cluster in a data directory, created if there is none.
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
  const account = await accountOf(directory)
  // PostgreSQL refuses a directory that others may read, as that of a copied backup may be.
  await chmod(directory, 0o700)
  return { directory, account }
}

function refuseEarlier(parent: string): void {
  const earlier = join(parent, EARLIER_FOLDER)
  if (!existsSync(join(earlier, 'PG_VERSION'))) return
  throw new DatabaseError(
    'earlier_database',
    `${earlier} contains the database of an earlier version, which this version cannot read. Its money is not real, so nothing is lost: move it away (mv ${earlier} ${earlier}-old) to start with an empty database.`,
  )
}

/** Only the account that owns the directory can list it. */
async function isMade(directory: string): Promise<boolean> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => error.code)
  return names === 'EACCES' || (Array.isArray(names) && names.length > 0)
}

/** Created under another name first, so that an interrupted creation is never taken for a complete one. */
async function makeCluster(parent: string, directory: string): Promise<void> {
  const maker = isRoot() ? await namedAccount() : null
  const { initdb } = await findPrograms(maker)
  const unfinished = await mkdtemp(join(parent, UNFINISHED_PREFIX)).catch(error => {
    throw failedToMake(directory, error)
  })
  try {
    if (maker) await chown(unfinished, maker.uid, maker.gid)
    const place = { cwd: unfinished, ...maker, env: PROGRAM_ENVIRONMENT }
    await runProgram(initdb, ['-D', directoryArgument(unfinished), ...INITDB_OPTIONS], place)
    if (maker) await chownAll(unfinished, OWN_ACCOUNT)
    await rename(unfinished, directory)
  } catch (error) {
    // Another start may have been first, and have removed this one's directory.
    if (!(await isMade(directory))) throw failedToMake(directory, error)
  }
  for (const name of await readdir(parent)) {
    if (!name.startsWith(UNFINISHED_PREFIX)) continue
    // If another start is still writing to its own directory, that start removes it.
    await rm(join(parent, name), { recursive: true, force: true }).catch(() => {})
  }
}

async function accountOf(directory: string): Promise<Account> {
  const { uid, gid } = await stat(directory)
  if (isRoot() && uid !== 0) return { uid, gid }
  if (isRoot()) {
    // As when root has unpacked a backup.
    await chownAll(directory, OWN_ACCOUNT)
    return OWN_ACCOUNT
  }
  if (uid === process.getuid?.()) return null
  const remedy = `start as ${uid === OWN_ACCOUNT.uid ? 'root' : 'that user'}, or make the current user the owner of all of ${dirname(directory)} (chown -R)`
  throw new DatabaseError('embedded_failed', `${directory} belongs to user ${uid}: ${remedy}.`)
}

const isRoot = () => process.getuid?.() === 0

/** Only initdb needs the account that it runs as to have a name. */
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
  // What initdb says last may only be that it cleans up after the error.
  const lines = reasonLines(cause)
  const reason = lines.find(line => /\b(?:FATAL|error):/.test(line)) ?? lines.at(-1) ?? ''
  const { code, syscall } = cause as { code?: unknown; syscall?: unknown }
  // Where a folder cannot be made below one that is read-only, Node says that this one is missing.
  const isNotWritable =
    NOT_WRITABLE_CODES.includes(String(code)) || (code === 'ENOENT' && syscall === 'mkdir')
  const advice = isNotWritable
    ? ` Set DATA_DIR to a folder that user ${process.getuid?.()} may write to, or set DATABASE_URL.`
    : reason.includes('user does not exist')
      ? ' PostgreSQL starts only as a user with a name (in /etc/passwd): start as such a one, or set DATABASE_URL.'
      : ''
  const sentence = `The database could not be created in ${directory} (${reason}).${advice}`
  return new DatabaseError('embedded_failed', sentence, { cause })
}

/** As of a folder of the host's that Docker mounts, and that belongs to root. */
const NOT_WRITABLE_CODES = ['EACCES', 'EPERM', 'EROFS']
