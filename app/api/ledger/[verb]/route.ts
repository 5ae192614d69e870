import { z } from 'zod'
import { services } from '@/lib/composition'
import { ApiError } from '@/lib/http/api-error'
import { handleApi } from '@/lib/http/handle-api'
import { readJson } from '@/lib/http/read-body'
import { HOST_REQUEST_BYTES_MAX, serveHost } from '@/lib/ledger/server/serve-host'
import { hasBearerSecret } from '@/lib/payments/server/is-same-secret'

interface Context {
  params: Promise<{ verb: string }>
}

/** For deployments that keep their ledger here; absent where none may. */
export const POST = handleApi<Context>(async (request, { params }) => {
  const { ledger, settings } = await services()
  const token = settings.servesAsHostToken
  if (token === null) throw new ApiError('not_found', 'This deployment keeps no ledger for others.')
  const answer = await serveHost({
    ledger,
    token,
    request: {
      verb: (await params).verb,
      authorization: request.headers.get('authorization'),
      // Nothing is read of a stranger's body, who is then refused.
      body: hasBearerSecret(request, token)
        ? await readJson(request, z.unknown(), HOST_REQUEST_BYTES_MAX)
        : null,
    },
  })
  return Response.json(answer.body, { status: answer.status, headers: { 'cache-control': 'no-store' } })
})
