import { services } from '@/lib/composition'
import { ApiError } from '@/lib/http/api-error'
import { handleApi } from '@/lib/http/handle-api'
import { requireManagedAccount } from '@/lib/http/require-account'
import type { RefillLink, RefillLinks } from '@/lib/payments/domain/refill-links'
import { newRefillToken } from '@/lib/payments/server/refill-token'

const NO_STORE = { 'cache-control': 'no-store' }

/** Whether there is a link, and since when; never its token. */
export const GET = handleApi(async request => {
  const { accountId, refillLinks } = await manage(request)
  const link = await refillLinks.get({ accountId })
  if (!link) throw noLink()
  return Response.json(linkResponse(link), { headers: NO_STORE })
})

/** Replaces the link that was there. The answer is the only place where its token is ever shown. */
export const POST = handleApi(async request => {
  const { accountId, refillLinks } = await manage(request)
  const { token, tokenHash } = newRefillToken()
  const link = await refillLinks.create({ accountId, tokenHash })
  return Response.json({ ...linkResponse(link), token }, { status: 201, headers: NO_STORE })
})

export const DELETE = handleApi(async request => {
  const { accountId, refillLinks } = await manage(request)
  const { revoked } = await refillLinks.revoke({ accountId })
  if (!revoked) throw noLink()
  return Response.json({ revoked }, { headers: NO_STORE })
})

async function manage(request: Request): Promise<{ accountId: string; refillLinks: RefillLinks }> {
  const { ledger, refillLinks } = await services()
  const { accountId } = await requireManagedAccount(request, ledger)
  return { accountId, refillLinks }
}

function linkResponse({ createdAt }: RefillLink) {
  return { created_at: Math.floor(createdAt.getTime() / 1000) }
}

function noLink(): ApiError {
  return new ApiError('not_found', 'This account has no refill link.')
}
