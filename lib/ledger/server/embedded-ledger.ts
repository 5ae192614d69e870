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

/** The ledger in this deployment's own database. */
export function createEmbeddedLedger({
  database,
  receiptKey = null,
}: {
  database: Database
  /** The key that receipts are signed with; null to use one that the database keeps. */
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
