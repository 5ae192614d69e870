import { services } from '@/lib/composition'
import { served, serveHost } from '@/lib/host-mode/server/serve-host'
import { ApiError } from '@/lib/http/api-error'
import { handleApi } from '@/lib/http/handle-api'
import { LEDGER_CONTRACT } from '@/lib/ledger/domain/ledger'

interface Context {
  params: Promise<{ verb: string }>
}

/** For deployments that keep their ledger here; absent where none may. */
export const POST = handleApi<Context>(async (request, { params }) => {
  const { ledger, settings } = await services()
  const token = settings.servesAsHostToken
  if (token === null) throw new ApiError('not_found', 'This deployment keeps no ledger for others.')
  const { verb } = await params
  return serveHost({ request, verb, token, offers: [served(LEDGER_CONTRACT, ledger)] })
})
