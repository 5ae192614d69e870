import type { HostContract, Verbs } from '@/lib/host-mode/domain/contract'
import { ACCOUNT_VERBS } from './accounts'
import { CREDIT_VERBS } from './credits'
import { HOLD_VERBS } from './holds'
import { KEY_VERBS } from './keys'
import { isLedgerErrorCode, LedgerError } from './ledger-error'
import { RECEIPT_VERBS } from './receipts'
import { USAGE_VERBS } from './usage'

const LEDGER_VERBS = {
  ...ACCOUNT_VERBS,
  ...HOLD_VERBS,
  ...CREDIT_VERBS,
  ...KEY_VERBS,
  ...USAGE_VERBS,
  ...RECEIPT_VERBS,
}

/**
 * The ledger's verbs, as everything outside sees them. `server/` answers them from PostgreSQL, a host client
 * (lib/host-mode) from another deployment; both pass the same contract tests.
 *
 * Lost races (insufficient credit, already resolved, already credited) are expected results, never
 * thrown. Thrown errors mean that the ledger could not be asked.
 */
export type Ledger = Verbs<typeof LEDGER_VERBS>

/** The ledger of another deployment: `POST /api/ledger/<verb>`. */
export const LEDGER_CONTRACT: HostContract<typeof LEDGER_VERBS> = {
  folder: 'ledger',
  verbs: LEDGER_VERBS,
  // An answer waits for its hold; a host that takes longer counts as down.
  timeoutMs: 10_000,
  // A request has a dozen short fields and a list of prices.
  requestBytesMax: 256 * 1024,
  // The largest page of usage.
  responseBytesMax: 16 * 1024 * 1024,
  toRefusal: error => (error instanceof LedgerError ? error.code : 'unavailable'),
  toError: (refusal, message, options) =>
    new LedgerError(isLedgerErrorCode(refusal) ? refusal : 'unavailable', message, options),
}
