import 'server-only'
import type { Balance } from '@/lib/ledger/domain/accounts'
import type { Ledger } from '@/lib/ledger/domain/ledger'
import { ApiError } from './api-error'
import { requireCredential, requireCreditId } from './credential'

/** The account of any accepted credential. @throws ApiError invalid_credential */
export async function requireAccount(request: Request, ledger: Ledger): Promise<Balance> {
  return requireKnown(await ledger.getBalance({ credential: requireCredential(request.headers) }))
}

/** The account of a credit_id, for routes that manage an account. @throws ApiError invalid_credential | forbidden */
export async function requireManagedAccount(request: Request, ledger: Ledger): Promise<Balance> {
  return requireKnown(await ledger.getBalance({ credential: requireCreditId(request.headers) }))
}

/** @throws ApiError invalid_credential if it was looked up and not found */
export function requireKnown<Account>(account: Account | null): Account {
  if (account) return account
  throw unknownCredential()
}

export function unknownCredential(): ApiError {
  return new ApiError(
    'invalid_credential',
    'This credential is unknown. Check that it was copied completely.',
    { isGuess: true },
  )
}
