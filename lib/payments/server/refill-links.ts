import 'server-only'
import { type Generated, sql } from 'kysely'
import type { Database } from '@/lib/db/database'
import type { RefillLinks } from '../domain/refill-links'

interface RefillLinkTable {
  account_id: string
  /** SHA-256 of the token in lowercase hex; the token itself is stored nowhere. */
  token_hash: string
  name: string | null
  created_at: Generated<Date>
}

/** Refill links that this deployment stores itself. */
export function createRefillLinks(input: { database: Database }): RefillLinks {
  const database = input.database.kysely.withTables<{ refill_link: RefillLinkTable }>()
  return {
    /**
     * Of two created at once the later one stays. Both calls return their own name, and the earlier token stops
     * working.
     */
    async create({ accountId, tokenHash, name }) {
      return database
        .insertInto('refill_link')
        .values({ account_id: accountId, token_hash: tokenHash, name })
        .onConflict(conflict =>
          conflict.column('account_id').doUpdateSet({ token_hash: tokenHash, name, created_at: sql`now()` }),
        )
        .returning(['created_at as createdAt', 'name'])
        .executeTakeFirstOrThrow()
    },

    async get({ accountId }) {
      const row = await database
        .selectFrom('refill_link')
        .select(['created_at as createdAt', 'name'])
        .where('account_id', '=', accountId)
        .executeTakeFirst()
      return row ?? null
    },

    /**
     * The row is deleted, since a revoked token needs no record. Open invoices are still credited when they are paid.
     */
    async revoke({ accountId }) {
      const { numDeletedRows } = await database
        .deleteFrom('refill_link')
        .where('account_id', '=', accountId)
        .executeTakeFirst()
      return { revoked: numDeletedRows > 0n }
    },

    async find({ tokenHash }) {
      const row = await database
        .selectFrom('refill_link')
        .select(['account_id as accountId', 'name'])
        .where('token_hash', '=', tokenHash)
        // Whoever knew a leaked credit may have stored one just after its end.
        .where(sql<boolean>`closed_for(account_id) is null`)
        .executeTakeFirst()
      return row ?? null
    },
  }
}
