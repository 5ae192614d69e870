import 'server-only'
import type { Services } from '@/lib/composition'
import { requireCredential, requireCreditId } from '@/lib/http/credential'
import { requireAccount, requireManagedAccount } from '@/lib/http/require-account'
import { requireRefillAccount } from '@/lib/payments/server/refill-token'

const BEARER = { bearer: [] }
const CREDIT_ID = [BEARER, { xCreditId: [] }]
const ANY_CREDENTIAL = [BEARER, { xApiKey: [] }, { apiKey: [] }, { xCreditId: [] }]

/**
 * Who may ask, as the document says it (`security`), and how the caller is found out before anything else is
 * done for a request. Where the caller is only `shown`, the route looks the credential up itself: behind a
 * limit, or together with the body that it pays for.
 */
export const CALLERS = {
  public: { security: [], find: async () => null },
  account: { security: ANY_CREDENTIAL, find: (request, { ledger }) => requireAccount(request, ledger) },
  credit_id: { security: CREDIT_ID, find: (request, { ledger }) => requireManagedAccount(request, ledger) },
  refill_link: { security: [BEARER], find: requireRefillAccount },
  shown: { security: ANY_CREDENTIAL, find: async ({ headers }) => requireCredential(headers) },
  shown_credit_id: { security: CREDIT_ID, find: async ({ headers }) => requireCreditId(headers) },
  /** In a header or in the body. */
  optional: { security: [...ANY_CREDENTIAL, {}], find: async () => null },
  /** A person who is signed in; lib/auth reads the cookie. */
  session: { security: [{ session: [] }], find: async () => null },
  /** Somebody who holds a secret of this deployment, or of a gateway that signs. The route compares. */
  secret: { security: [BEARER], find: async () => null },
} as const satisfies Record<
  string,
  { security: readonly object[]; find(request: Request, services: Services): Promise<object | null> }
>

export type CallerKind = keyof typeof CALLERS
export type Caller<Kind extends CallerKind> = Awaited<ReturnType<(typeof CALLERS)[Kind]['find']>>
