import 'server-only'
import { type Generated, type Kysely, sql } from 'kysely'
import { openCreditId, sealCreditId } from './seal-credit-id'

/** As the first migration creates it. */
export type AccountLinkTables = {
  account_link: {
    user_id: string
    sealed_credit_id: string
    created_at: Generated<Date>
    updated_at: Generated<Date>
  }
}

/** The credit that a signed-in person has linked to the account. */
export interface CreditLinks {
  /**
   * `unreadable`: a credit is linked, but it is sealed with a key that this server does not know any more, or not yet.
   */
  find(userId: string): Promise<{ outcome: 'found'; creditId: string } | { outcome: 'none' | 'unreadable' }>
  /**
   * `conflict`: another credit is already linked, and nothing is changed. To replace it, a client has to name the
   * credit that it saw.
   */
  link(input: {
    userId: string
    creditId: string
    /** The linked credit to be replaced; null links only if there is none. */
    replaces: string | null
  }): Promise<{ outcome: 'linked' | 'conflict' }>
  /** `conflict`: another credit than the named one is linked, and nothing is changed. */
  unlink(input: {
    userId: string
    /** The linked credit as the client saw it, null if it could not be opened; left out, whatever is linked. */
    creditId?: string | null
  }): Promise<{ outcome: 'unlinked' | 'none' | 'conflict' }>
}

/** Stores links in the database, sealed with the operator's keys (LINK_ENCRYPTION_KEY). */
export function createCreditLinks(input: {
  database: Kysely<AccountLinkTables>
  keys: readonly string[]
}): CreditLinks {
  const { database, keys } = input
  const open = (userId: string, sealed: string) => openCreditId({ sealed, userId, keys })

  const readSealed = async (userId: string) => {
    const row = await database
      .selectFrom('account_link')
      .select('sealed_credit_id')
      .where('user_id', '=', userId)
      .executeTakeFirst()
    return row?.sealed_credit_id ?? null
  }

  return {
    async find(userId) {
      const sealed = await readSealed(userId)
      if (sealed === null) return { outcome: 'none' }
      const creditId = open(userId, sealed)
      return creditId === null ? { outcome: 'unreadable' } : { outcome: 'found', creditId }
    },

    async link({ userId, creditId, replaces }) {
      const sealed = sealCreditId({ creditId, userId, keys })
      const inserted = await database
        .insertInto('account_link')
        .values({ user_id: userId, sealed_credit_id: sealed })
        .onConflict(conflict => conflict.column('user_id').doNothing())
        .executeTakeFirst()
      if (inserted.numInsertedOrUpdatedRows === 1n) return { outcome: 'linked' }
      const current = await readSealed(userId)
      const currentCreditId = current === null ? null : open(userId, current)
      if (currentCreditId === creditId) return { outcome: 'linked' }
      // A link that no key opens here may be sealed with a newer one, so only unlinking removes it.
      if (current === null || currentCreditId === null || currentCreditId !== replaces) {
        return { outcome: 'conflict' }
      }
      // Compares with what was read: of two tabs that replace it at once, one wins and the other gets a conflict.
      const updated = await database
        .updateTable('account_link')
        .set({ sealed_credit_id: sealed, updated_at: sql`now()` })
        .where('user_id', '=', userId)
        .where('sealed_credit_id', '=', current)
        .executeTakeFirst()
      return { outcome: updated.numUpdatedRows === 1n ? 'linked' : 'conflict' }
    },

    async unlink({ userId, creditId }) {
      let link = database.deleteFrom('account_link').where('user_id', '=', userId)
      if (creditId !== undefined) {
        const current = await readSealed(userId)
        if (current === null) return { outcome: 'none' }
        if (open(userId, current) !== creditId) return { outcome: 'conflict' }
        // Compares with what was read, as in `link`.
        link = link.where('sealed_credit_id', '=', current)
      }
      const deleted = await link.executeTakeFirst()
      if (deleted.numDeletedRows === 1n) return { outcome: 'unlinked' }
      return { outcome: creditId === undefined ? 'none' : 'conflict' }
    },
  }
}
