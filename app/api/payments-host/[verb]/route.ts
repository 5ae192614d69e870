import { z } from 'zod'
import { services } from '@/lib/composition'
import { ApiError } from '@/lib/http/api-error'
import { handleApi } from '@/lib/http/handle-api'
import { readJson } from '@/lib/http/read-body'
import { hasBearerSecret } from '@/lib/payments/server/is-same-secret'
import { PAYMENTS_HOST_REQUEST_BYTES_MAX, servePaymentsHost } from '@/lib/payments/server/serve-payments-host'

interface Context {
  params: Promise<{ verb: string }>
}

/** For deployments whose payments are taken here; absent where there are none. */
export const POST = handleApi<Context>(async (request, { params }) => {
  const { payments, refillLinks, settings } = await services()
  const token = settings.servesAsHostToken
  if (token === null) throw new ApiError('not_found', 'This deployment takes no payments for others.')
  const answer = await servePaymentsHost({
    payments,
    refillLinks,
    token,
    request: {
      verb: (await params).verb,
      authorization: request.headers.get('authorization'),
      // Nothing is read of a stranger's body, who is then refused.
      body: hasBearerSecret(request, token)
        ? await readJson(request, z.unknown(), PAYMENTS_HOST_REQUEST_BYTES_MAX)
        : null,
    },
  })
  return Response.json(answer.body, { status: answer.status, headers: { 'cache-control': 'no-store' } })
})
