import 'server-only'
import type { Database } from '@/lib/db/database'
import type { Ledger } from '../domain/ledger'
import { createAccount } from './create-account'
import { createKey } from './create-key'
import { credit } from './credit'
import { getBalance } from './get-balance'
import { getKey } from './get-key'
import { getUsage } from './get-usage'
import { hold } from './hold'
import { createLedgerContext } from './ledger-context'
import { listKeys } from './list-keys'
import { listUsage } from './list-usage'
import { merge } from './merge'
import { release } from './release'
import { renew } from './renew'
import { reverse } from './reverse'
import { revokeKey } from './revoke-key'
import { settle } from './settle'
import { sweep } from './sweep'
import { updateKey } from './update-key'

/** The ledger that this deployment keeps itself. */
export function createEmbeddedLedger({ database }: { database: Database }): Ledger {
  const context = createLedgerContext({ database })
  return {
    createAccount: input => createAccount({ context, input }),
    getBalance: input => getBalance({ context, input }),
    hold: input => hold({ context, input }),
    renew: input => renew({ context, input }),
    settle: input => settle({ context, input }),
    release: input => release({ context, input }),
    credit: input => credit({ context, input }),
    reverse: input => reverse({ context, input }),
    merge: input => merge({ context, input }),
    sweep: input => sweep({ context, input }),
    createKey: input => createKey({ context, input }),
    listKeys: input => listKeys({ context, input }),
    getKey: input => getKey({ context, input }),
    updateKey: input => updateKey({ context, input }),
    revokeKey: input => revokeKey({ context, input }),
    listUsage: input => listUsage({ context, input }),
    getUsage: input => getUsage({ context, input }),
  }
}
