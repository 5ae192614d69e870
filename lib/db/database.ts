import type { Kysely } from 'kysely'
import type { Schema } from './schema'

/** An open PostgreSQL database: the embedded one, the operator's own, or a pooler in front of it. */
export interface Database {
  readonly kysely: Kysely<Schema>
  /** Calls one of the database's functions (./migrations/functions) with JSON and returns JSON. */
  call<Answer>(functionName: string, request: object): Promise<Answer>
  close(): Promise<void>
}
