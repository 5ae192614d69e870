import 'server-only'
import type { Generated, Kysely } from 'kysely'

export interface RefillLinkTable {
  account_id: string
  /** SHA-256 of the token, lowercase hex; the token itself is nowhere. */
  token_hash: string
  created_at: Generated<Date>
}

/** An alias, because Kysely takes no interface here. */
export type RefillTables = { refill_link: RefillLinkTable }

export type RefillDatabase = Kysely<RefillTables>
