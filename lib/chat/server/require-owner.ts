import 'server-only'
import { ApiError } from '@/lib/http/api-error'
import type { Credential, Ledger } from '@/lib/ledger/domain/ledger'
import { askLedger } from '@/lib/ledger/server/metering/place-hold'

/** The account behind a credential. @throws ApiError invalid_credential, ledger_unavailable */
export async function requireOwner(ledger: Ledger, credential: Credential): Promise<string> {
  const balance = await askLedger(() => ledger.getBalance({ credential }))
  if (balance) return balance.accountId
  throw new ApiError('invalid_credential', 'The credential that was sent is not known here.')
}
