import type { Kysely } from 'kysely'
import type { Schema } from './schema'

/** One open PostgreSQL: the embedded one, an operator's own, or a pooler before it. */
export interface Database {
  readonly kysely: Kysely<Schema>
  /** Calls one of the database's functions (./migrations/functions): JSON in and JSON out. */
  call<Answer>(functionName: string, request: object): Promise<Answer>
  close(): Promise<void>
}
