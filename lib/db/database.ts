import type { Kysely } from 'kysely'
import type { Schema } from './schema'

/** One open PostgreSQL: the embedded one, an operator's own, or a pooler before it. */
export interface Database {
  readonly kysely: Kysely<Schema>
  close(): Promise<void>
}
