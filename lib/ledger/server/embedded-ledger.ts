import 'server-only'
import type { Database } from '@/lib/db/database'
import type { Ledger } from '../domain/ledger'
import { accountVerbs } from './accounts'
import { creditVerbs } from './credits'
import { holdVerbs } from './holds'
import { keyVerbs } from './keys'
import { createLedgerContext } from './ledger-context'
import { usageVerbs } from './usage'

/** The ledger that this deployment keeps itself. */
export function createEmbeddedLedger({ database }: { database: Database }): Ledger {
  const context = createLedgerContext({ database })
  return {
    ...accountVerbs(context),
    ...holdVerbs(context),
    ...creditVerbs(context),
    ...keyVerbs(context),
    ...usageVerbs(context),
  }
}
