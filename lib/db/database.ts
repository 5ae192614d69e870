import type { Kysely } from 'kysely'
import type { Schema } from './schema'

/** One open database. `embedded` is PGlite in this process, `postgres` a server: the same dialect, the same statements. */
export interface Database {
  readonly kind: 'embedded' | 'postgres'
  readonly kysely: Kysely<Schema>
  close(): Promise<void>
}
