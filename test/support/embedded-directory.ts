import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { joinEmbeddedServer } from '@/lib/db/embedded/server'

/** Runs statements on the embedded database in a data directory, whether its server is running or not. */
export async function withEmbeddedDatabase<Result>(
  dataDirectory: string,
  use: (database: pg.Client) => Promise<Result>,
): Promise<Result> {
  const server = await joinEmbeddedServer({ dataDirectory })
  const client = new pg.Client({ connectionString: server.url })
  try {
    await client.connect()
    return await use(client)
  } finally {
    await client.end()
    await server.leave()
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

/** The files in a directory whose bytes contain one of the texts, including write-ahead logs and caches. */
export function filesContaining(directory: string, ...texts: readonly string[]): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map(name => join(directory, name))
    .filter(path => {
      if (!statSync(path).isFile()) return false
      const bytes = readFileSync(path)
      return texts.some(text => bytes.includes(text))
    })
}
