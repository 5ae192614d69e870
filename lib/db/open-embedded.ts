import 'server-only'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { PGlite, types } from '@electric-sql/pglite'
import { Kysely, PGliteDialect } from 'kysely'
import type { Database } from './database'
import { lockDirectory } from './lock-directory'
import type { Schema } from './schema'

/**
 * PGlite under `<dataDirectory>/pglite`, guarded against a second process, which PGlite itself would
 * let in and whose acknowledged writes would be lost.
 *
 * @throws DatabaseError directory_in_use, naming the process that has it
 */
export async function openEmbedded(input: { dataDirectory: string | null }): Promise<Database> {
  if (input.dataDirectory === null) return embeddedDatabase(await createPglite(undefined), async () => {})
  await mkdir(input.dataDirectory, { recursive: true })
  const directory = join(input.dataDirectory, 'pglite')
  const lock = await lockDirectory(directory)
  try {
    return embeddedDatabase(await createPglite(directory), lock.release)
  } catch (error) {
    await lock.release()
    throw error
  }
}

function createPglite(directory: string | undefined): Promise<PGlite> {
  // Money is a bigint everywhere; PGlite would read a small one as a number.
  return PGlite.create({ dataDir: directory, parsers: { [types.INT8]: BigInt } })
}

function embeddedDatabase(pglite: PGlite, release: () => Promise<void>): Database {
  const kysely = new Kysely<Schema>({ dialect: new PGliteDialect({ pglite }) })
  let closing: Promise<void> | null = null
  const close = async () => {
    // Not through Kysely, which leaves the instance open when it never ran a query.
    await pglite.close()
    await release()
  }
  return {
    kind: 'embedded',
    kysely,
    close: () => {
      closing ??= close()
      return closing
    },
  }
}
