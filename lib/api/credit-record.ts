import 'server-only'
import { z } from 'zod'
import type { Services } from '@/lib/composition'
import { ApiError } from '@/lib/http/api-error'
import { parseCredential } from '@/lib/http/credential'
import { hasBearerSecret } from '@/lib/http/same-secret'
import { nanoToUsdNumber } from '@/lib/money/nano'
import { fetchHostCredit } from '@/lib/payments/host/fetch-host-credit'
import { creditRecordSchema } from './contracts/accounts'
import { NO_STORE, route } from './route'

/**
 * The specification's call: proxied to the payments host if there is one, else answered by the ledger here. Unlike
 * every other route it answers 404 with the status text alone.
 */
export const creditRecordRoute = route(
  {
    method: 'GET',
    path: '/api/payments/account/{credit_id}/credit',
    summary: 'Get the credit record',
    caller: 'published',
    params: { credit_id: z.string().describe('The account. Whoever knows its credit_id holds its balance.') },
    answer: creditRecordSchema,
    answersByStatus: { 404: z.object({ error: z.literal('Not Found') }).describe('An unknown credit_id.') },
  },
  async ({ request, services, params: { credit_id: creditId } }) => {
    const credential = parseCredential(creditId)
    if (credential?.kind !== 'credit_id') return notFound()
    const { ledger, rateLimits, settings } = services
    if (!isFromDeployment(request, settings)) await rateLimits.take('balance_look_up', request.headers)
    if (settings.paymentsHost) {
      const { PAYMENTS_HOST: host, PAYMENTS_HOST_TOKEN: token } = settings.paymentsHost
      const credit = await fetchHostCredit({ host, token, creditId })
      if (credit.outcome === 'found') return credit.record
      if (credit.outcome === 'unknown') return notFound()
      throw new ApiError(
        'payment_gateway_error',
        'The payments host did not give a usable answer. Try again shortly.',
      )
    }
    const balance = await ledger.getBalance({ credential })
    return balance ? { credit_id: creditId, amount_usd: nanoToUsdNumber(balance.balanceNano) } : notFound()
  },
)

/** A deployment whose ledger is here asks for many visitors, and limits each of them itself. */
function isFromDeployment(request: Request, { servesAsHostToken }: Services['settings']): boolean {
  return servesAsHostToken !== null && hasBearerSecret(request, servesAsHostToken)
}

function notFound(): Response {
  return Response.json({ error: 'Not Found' }, { status: 404, headers: NO_STORE })
}
