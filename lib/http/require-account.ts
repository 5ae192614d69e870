import 'server-only'
import type { Balance, Ledger } from '@/lib/ledger/domain/ledger'
import { ApiError } from './api-error'
import { requireCredential, requireCreditId } from './credential'

/** The account behind any accepted credential. @throws ApiError invalid_credential */
export async function requireAccount(request: Request, ledger: Ledger): Promise<Balance> {
  return known(await ledger.getBalance({ credential: requireCredential(request.headers) }))
}

/** The account behind a credit_id, for routes that manage. @throws ApiError invalid_credential | forbidden */
export async function requireManagedAccount(request: Request, ledger: Ledger): Promise<Balance> {
  return known(await ledger.getBalance({ credential: requireCreditId(request.headers) }))
}

function known(balance: Balance | null): Balance {
  if (balance) return balance
  throw new ApiError(
    'invalid_credential',
    'This credential is not known here. Check that it was copied whole.',
  )
}
