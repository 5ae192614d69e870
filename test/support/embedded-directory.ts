import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'

/** Runs statements on the embedded database of a server that has ended. */
export async function withEmbeddedDatabase<Result>(
  dataDirectory: string,
  use: (database: PGlite) => Promise<Result>,
): Promise<Result> {
  const database = await PGlite.create(join(dataDirectory, 'pglite'))
  try {
    return await use(database)
  } finally {
    await database.close()
  }
}

/** Every row of every table, as text, one per line, each after the table's name. */
export function dumpTables(dataDirectory: string): Promise<string> {
  return withEmbeddedDatabase(dataDirectory, async database => {
    const tables = await database.query<{ name: string }>(
      `select tablename as name from pg_tables where schemaname = 'public' order by 1`,
    )
    const lines: string[] = []
    for (const { name } of tables.rows) {
      const { rows } = await database.query<{ row: string }>(`select t::text as row from "${name}" t`)
      lines.push(...rows.map(({ row }) => `${name} ${row}`))
    }
    return lines.join('\n')
  })
}

/** The files below a directory whose bytes contain the text: logs of writes and caches included. */
export function filesContaining(directory: string, text: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map(name => join(directory, name))
    .filter(path => statSync(path).isFile() && readFileSync(path).includes(text))
}
