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
 * Who may call a route. `security` is for the OpenAPI document; `find` identifies the caller before anything else is
 * done. A `presented` credential is only parsed: its route looks it up itself, behind a rate limit or together with the
 * body that it pays for. `anyOrigin`: pages of other sites may call it and read the answer, with a credential that they
 * were given. Browsers then send no cookie, so that such a page can do nothing in its visitor's name.
 */
export const CALLERS = {
  /** Anybody, from this site's own pages or from programs. */
  public: { security: [], anyOrigin: false, find: async () => null },
  /** Anybody, from anywhere. */
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
  /** The same, or no credential yet: then the route answers with what to pay. */
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
  /** The same, but the protocol (MCP) demands that pages of other sites are refused. */
  agent: { security: [...ANY_CREDENTIAL, {}], anyOrigin: false, find: async () => null },
  /** A person who is signed in; lib/auth reads the cookie. */
  session: { security: [{ session: [] }], anyOrigin: false, find: async () => null },
  /** The holder of a secret of this deployment, or a gateway that signs. The route verifies it. */
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
