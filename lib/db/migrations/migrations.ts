import { initialTables } from './0001-initial-tables'
import { ledgerFunctions } from './0002-ledger-functions'
import { rateLimit } from './0003-rate-limit'
import { invoices } from './0004-invoices'
import { accountLinks } from './0005-account-links'
import { replay } from './0006-replay'
import { refillLinks } from './0007-refill-links'
import { mergeCredit } from './0008-merge-credit'
import { accountsOfKeys } from './0009-accounts-of-keys'
import { runningExchanges } from './0010-running-exchanges'
import { checksInDomains } from './0011-checks-in-domains'
import type { Migration } from './migration'

/** In the order in which they run. Add at the end; never change or reorder what is here. */
export const MIGRATIONS: readonly Migration[] = [
  initialTables,
  ledgerFunctions,
  rateLimit,
  invoices,
  accountLinks,
  replay,
  refillLinks,
  mergeCredit,
  accountsOfKeys,
  runningExchanges,
  checksInDomains,
]
