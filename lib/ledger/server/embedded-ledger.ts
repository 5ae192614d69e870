import 'server-only'
import type { Database } from '@/lib/db/database'
import type { Ledger } from '../domain/ledger'
import { createAccount, getBalance } from './accounts'
import { credit, merge, reverse } from './credits'
import { hold, release, renew, settle, sweep } from './holds'
import { createKey, getKey, listKeys, revokeKey, updateKey } from './keys'
import { createLedgerContext } from './ledger-context'
import { getUsage, listUsage } from './usage'

/** The ledger that this deployment keeps itself. */
export function createEmbeddedLedger({ database }: { database: Database }): Ledger {
  const context = createLedgerContext({ database })
  return {
    createAccount: input => createAccount(context, input),
    getBalance: input => getBalance(context, input),
    hold: input => hold(context, input),
    renew: input => renew(context, input),
    settle: input => settle(context, input),
    release: input => release(context, input),
    credit: input => credit(context, input),
    reverse: input => reverse(context, input),
    merge: input => merge(context, input),
    sweep: input => sweep(context, input),
    createKey: input => createKey(context, input),
    listKeys: input => listKeys(context, input),
    getKey: input => getKey(context, input),
    updateKey: input => updateKey(context, input),
    revokeKey: input => revokeKey(context, input),
    listUsage: input => listUsage(context, input),
    getUsage: input => getUsage(context, input),
  }
}
