import { services } from '@/lib/composition'
import { handleApi } from '@/lib/http/handle-api'
import { newApiKey } from '@/lib/http/new-api-key'
import { readJson } from '@/lib/http/read-body'
import { requireManagedAccount } from '@/lib/http/require-account'
import { createKeyBody, keyToBody } from '@/lib/ledger/domain/key-body'

const NO_STORE = { 'cache-control': 'no-store' }

export const GET = handleApi(async request => {
  const { ledger } = await services()
  const { accountId } = await requireManagedAccount(request, ledger)
  const keys = await ledger.listKeys({ accountId })
  return Response.json({ data: keys.map(keyToBody) }, { headers: NO_STORE })
})

/** The answer is the only place where the key's secret is ever shown. */
export const POST = handleApi(async request => {
  const { ledger, rateLimits } = await services()
  const { accountId } = await requireManagedAccount(request, ledger)
  const body = await readJson(request, createKeyBody)
  await rateLimits.take('key_creation', request.headers, accountId)
  const { secret, secretHash, hint } = newApiKey()
  const key = await ledger.createKey({
    accountId,
    secretHash,
    hint,
    label: body.label,
    usageLimitNano: body.usage_limit_usd,
    resetPeriod: body.reset_period,
    expiresAt: body.expire_at,
  })
  return Response.json(
    { ...keyToBody(key), key: secret, api_key: secret },
    { status: 201, headers: NO_STORE },
  )
})
