import 'server-only'
import type { Services } from '@/lib/composition'
import { hasNoCredential, requireCredential, requireCreditId } from '@/lib/http/credential'
import { requireAccount, requireManagedAccount } from '@/lib/http/require-account'
import { requireRefillAccount } from '@/lib/payments/server/refill-token'

const BEARER = { bearer: [] }
const CREDIT_ID = [BEARER, { xCreditId: [] }]
const ANY_CREDENTIAL = [
  BEARER,
  { xApiKey: [] },
  { apiKey: [] },
  { xCreditId: [] },
  { l402: [] },
  { payment: [] },
]

/**
 * Who may ask, as the document says it (`security`), and how the caller is found out before anything else is
 * done for a request. Where the caller is only `presented`, the route looks the credential up itself: behind a
 * limit, or together with the body that it pays for. `anyOrigin`: pages of other sites may ask and read, with a
 * credential that they were given. No cookie goes along, and nothing is done in the name of whoever looks at them.
 */
export const CALLERS = {
  /** Anybody, from this site's own pages or from no page at all. */
  public: { security: [], anyOrigin: false, find: async () => null },
  /** Anybody who wants to read it, wherever. */
  published: { security: [], anyOrigin: true, find: async () => null },
  account: {
    security: ANY_CREDENTIAL,
    anyOrigin: true,
    find: (request, { ledger }) => requireAccount(request, ledger),
  },
  credit_id: {
    security: CREDIT_ID,
    anyOrigin: true,
    find: (request, { ledger }) => requireManagedAccount(request, ledger),
  },
  refill_link: { security: [BEARER], anyOrigin: true, find: requireRefillAccount },
  presented: {
    security: ANY_CREDENTIAL,
    anyOrigin: true,
    find: async ({ headers }) => requireCredential(headers),
  },
  /** The same, or nothing yet: then the route tells what to pay. */
  payer: {
    security: [...ANY_CREDENTIAL, {}],
    anyOrigin: true,
    find: async ({ headers }) => (hasNoCredential(headers) ? null : requireCredential(headers)),
  },
  presented_credit_id: {
    security: CREDIT_ID,
    anyOrigin: true,
    find: async ({ headers }) => requireCreditId(headers),
  },
  /** In a header or in the body. */
  optional: { security: [...ANY_CREDENTIAL, {}], anyOrigin: true, find: async () => null },
  /** The same; what the protocol asks of its servers leaves pages of other sites out. */
  agent: { security: [...ANY_CREDENTIAL, {}], anyOrigin: false, find: async () => null },
  /** A person who is signed in; lib/auth reads the cookie. */
  session: { security: [{ session: [] }], anyOrigin: false, find: async () => null },
  /** Somebody who holds a secret of this deployment, or of a gateway that signs. The route compares. */
  secret: { security: [BEARER], anyOrigin: false, find: async () => null },
} as const satisfies Record<
  string,
  {
    security: readonly object[]
    anyOrigin: boolean
    find(request: Request, services: Services): Promise<object | null>
  }
>

export type CallerKind = keyof typeof CALLERS
export type Caller<Kind extends CallerKind> = Awaited<ReturnType<(typeof CALLERS)[Kind]['find']>>
