import { services } from '@/lib/composition'
import type { ServerSettings } from '@/lib/config/settings'
import { ApiError } from '@/lib/http/api-error'
import { parseCredential } from '@/lib/http/credential'
import { handleApi } from '@/lib/http/handle-api'
import { hasBearerSecret } from '@/lib/http/same-secret'
import { nanoToUsdNumber } from '@/lib/money/nano'
import { fetchHostCredit } from '@/lib/payments/host/fetch-host-credit'

const NO_STORE = { 'cache-control': 'no-store' }

/** The specification's call. Unlike every other route it answers 404 with the status text alone. */
export const GET = handleApi<RouteContext<'/api/payments/account/[creditId]/credit'>>(
  async (request, { params }) => {
    const { creditId } = await params
    const credential = parseCredential(creditId)
    if (credential?.kind !== 'credit_id') return notFound()
    const { ledger, rateLimits, settings } = await services()
    if (!isFromDeployment(request, settings)) await rateLimits.take('balance_look_up', request.headers)
    if (settings.paymentsHost) {
      const { PAYMENTS_HOST: host, PAYMENTS_HOST_TOKEN: token } = settings.paymentsHost
      const credit = await fetchHostCredit({ host, token, creditId })
      if (credit.outcome === 'found') return Response.json(credit.record, { headers: NO_STORE })
      if (credit.outcome === 'unknown') return notFound()
      throw new ApiError('payment_gateway_error', 'The payments host does not answer as it should.')
    }
    const balance = await ledger.getBalance({ credential })
    if (!balance) return notFound()
    return Response.json(
      { credit_id: creditId, amount_usd: nanoToUsdNumber(balance.balanceNano) },
      { headers: NO_STORE },
    )
  },
)

/** A deployment that keeps its ledger here asks for many visitors, and has limited each of them itself. */
function isFromDeployment(request: Request, { servesAsHostToken }: ServerSettings): boolean {
  return servesAsHostToken !== null && hasBearerSecret(request, servesAsHostToken)
}

function notFound(): Response {
  return Response.json({ error: 'Not Found' }, { status: 404, headers: NO_STORE })
}
