import 'server-only'
import type { Database } from '@/lib/db/database'
import type { Ledger } from '../domain/ledger'
import { createAccount } from './create-account'
import { createKey } from './create-key'
import { credit } from './credit'
import { getBalance } from './get-balance'
import { getKey } from './get-key'
import { hold } from './hold'
import { listKeys } from './list-keys'
import { listUsage } from './list-usage'
import { release } from './release'
import { renew } from './renew'
import { reverse } from './reverse'
import { revokeKey } from './revoke-key'
import { settle } from './settle'
import { sweep } from './sweep'
import { updateKey } from './update-key'

/** The ledger that this deployment keeps itself, on either kind of database. */
export function createEmbeddedLedger({ database }: { database: Database }): Ledger {
  return {
    createAccount: input => createAccount({ database, input }),
    getBalance: input => getBalance({ database, input }),
    hold: input => hold({ database, input }),
    renew: input => renew({ database, input }),
    settle: input => settle({ database, input }),
    release: input => release({ database, input }),
    credit: input => credit({ database, input }),
    reverse: input => reverse({ database, input }),
    sweep: input => sweep({ database, input }),
    createKey: input => createKey({ database, input }),
    listKeys: input => listKeys({ database, input }),
    getKey: input => getKey({ database, input }),
    updateKey: input => updateKey({ database, input }),
    revokeKey: input => revokeKey({ database, input }),
    listUsage: input => listUsage({ database, input }),
  }
}
