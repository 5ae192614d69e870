import { services } from '@/lib/composition'
import { ApiError } from '@/lib/http/api-error'
import { handleApi } from '@/lib/http/handle-api'
import { readJson } from '@/lib/http/read-body'
import { requireManagedAccount } from '@/lib/http/require-account'
import { keyToBody, updateKeyBody } from '@/lib/ledger/domain/key-body'
import type { ApiKey } from '@/lib/ledger/domain/keys'

interface Context {
  params: Promise<{ id: string }>
}

export const GET = handleApi<Context>(async (request, { params }) => {
  const { ledger } = await services()
  const { accountId } = await requireManagedAccount(request, ledger)
  return respond(await ledger.getKey({ accountId, keyId: (await params).id }))
})

export const PATCH = handleApi<Context>(async (request, { params }) => {
  const { ledger } = await services()
  const { accountId } = await requireManagedAccount(request, ledger)
  const body = await readJson(request, updateKeyBody)
  const key = await ledger.updateKey({
    accountId,
    keyId: (await params).id,
    label: body.label,
    usageLimitNano: body.usage_limit_usd,
    resetPeriod: body.reset_period,
    expiresAt: body.expire_at,
  })
  return respond(key)
})

/** Soft: the key stops working at once and stays in the list with its usage. */
export const DELETE = handleApi<Context>(async (request, { params }) => {
  const { ledger } = await services()
  const { accountId } = await requireManagedAccount(request, ledger)
  return respond(await ledger.revokeKey({ accountId, keyId: (await params).id }))
})

/** Another account's key and an unknown one get the same answer. */
function respond(key: ApiKey | null): Response {
  if (!key) throw new ApiError('not_found', 'This account has no such key.')
  return Response.json(keyToBody(key), { headers: { 'cache-control': 'no-store' } })
}
