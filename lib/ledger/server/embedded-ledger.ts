import 'server-only'
import type { Database } from '@/lib/db/database'
import type { Ledger } from '../domain/ledger'
import { accountVerbs } from './accounts'
import { creditVerbs } from './credits'
import { holdVerbs } from './holds'
import { keyVerbs } from './keys'
import { createLedgerContext } from './ledger-context'
import { receiptVerbs } from './receipts'
import { usageVerbs } from './usage'

/** The ledger that this deployment keeps itself. */
export function createEmbeddedLedger({
  database,
  receiptKey = null,
}: {
  database: Database
  /** What receipts are signed with; null: a key that the database keeps. */
  receiptKey?: Buffer | null
}): Ledger {
  const context = createLedgerContext({ database })
  return {
    ...accountVerbs(context),
    ...holdVerbs(context),
    ...creditVerbs(context),
    ...keyVerbs(context),
    ...usageVerbs(context),
    ...receiptVerbs(context, receiptKey),
  }
}
