import { services } from '@/lib/composition'
import { ApiError } from '@/lib/http/api-error'
import { handleApi } from '@/lib/http/handle-api'
import { requireAccount } from '@/lib/http/require-account'
import { usageToBody } from '@/lib/ledger/domain/usage-query'

interface Context {
  params: Promise<{ id: string }>
}

/** One entry of the history, by the exchange's id. An API key sees its own calls alone. */
export const GET = handleApi<Context>(async (request, { params }) => {
  const { ledger } = await services()
  const { accountId, keyId } = await requireAccount(request, ledger)
  const record = await ledger.getUsage({ accountId, holdId: (await params).id })
  // The same for an unknown one, somebody else's and another key's.
  if (!record || (keyId !== null && record.keyId !== keyId)) {
    throw new ApiError('not_found', 'This account has no such call, or it is still running.')
  }
  return Response.json(usageToBody(record), { headers: { 'cache-control': 'no-store' } })
})
