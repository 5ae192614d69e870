import { creditRecordContract } from '@/lib/api/accounts'
import { NO_STORE, route, serveRoute } from '@/lib/api/route'
import type { ServerSettings } from '@/lib/config/settings'
import { ApiError } from '@/lib/http/api-error'
import { parseCredential } from '@/lib/http/credential'
import { hasBearerSecret } from '@/lib/http/same-secret'
import { nanoToUsdNumber } from '@/lib/money/nano'
import { fetchHostCredit } from '@/lib/payments/host/fetch-host-credit'

export const runtime = 'nodejs'
export const dynamic = 'force-dynamic'

/**
 * The specification's call: proxied to the payments host where there is one, else answered by the ledger here.
 * Unlike every other route it answers 404 with the status text alone.
 */
export const GET = serveRoute(
  route(creditRecordContract, async ({ request, services, params: { credit_id: creditId } }) => {
    const credential = parseCredential(creditId)
    if (credential?.kind !== 'credit_id') return notFound()
    const { ledger, rateLimits, settings } = services
    if (!isFromDeployment(request, settings)) await rateLimits.take('balance_look_up', request.headers)
    if (settings.paymentsHost) {
      const { PAYMENTS_HOST: host, PAYMENTS_HOST_TOKEN: token } = settings.paymentsHost
      const credit = await fetchHostCredit({ host, token, creditId })
      if (credit.outcome === 'found') return credit.record
      if (credit.outcome === 'unknown') return notFound()
      throw new ApiError('payment_gateway_error', 'The payments host does not answer as it should.')
    }
    const balance = await ledger.getBalance({ credential })
    return balance ? { credit_id: creditId, amount_usd: nanoToUsdNumber(balance.balanceNano) } : notFound()
  }),
)

/** A deployment that keeps its ledger here asks for many visitors, and has limited each of them itself. */
function isFromDeployment(request: Request, { servesAsHostToken }: ServerSettings): boolean {
  return servesAsHostToken !== null && hasBearerSecret(request, servesAsHostToken)
}

function notFound(): Response {
  return Response.json({ error: 'Not Found' }, { status: 404, headers: NO_STORE })
}
