import { services } from '@/lib/composition'
import { served, serveHost } from '@/lib/host-mode/server/serve-host'
import { ApiError } from '@/lib/http/api-error'
import { handleApi } from '@/lib/http/handle-api'
import { PAYMENTS_CONTRACT, REFILL_LINKS_CONTRACT } from '@/lib/payments/domain/payments'

interface Context {
  params: Promise<{ verb: string }>
}

/** For deployments whose payments are taken here; absent where there are none. */
export const POST = handleApi<Context>(async (request, { params }) => {
  const { payments, refillLinks, settings } = await services()
  const token = settings.servesAsHostToken
  if (token === null) throw new ApiError('not_found', 'This deployment takes no payments for others.')
  const offers = [served(PAYMENTS_CONTRACT, payments), served(REFILL_LINKS_CONTRACT, refillLinks)]
  return serveHost({ request, verb: (await params).verb, token, offers })
})
