import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { readIdempotencyKey } from '@/lib/chat/server/resume-key'
import { services } from '@/lib/composition'
import { ApiError } from '@/lib/http/api-error'
import { hashSecret, requireCreditId } from '@/lib/http/credential'
import { handleApi } from '@/lib/http/handle-api'
import { readJson } from '@/lib/http/read-body'
import { requireManagedAccount } from '@/lib/http/require-account'
import { nanoToUsdNumber } from '@/lib/money/nano'

const bodySchema = z.object({ from_credit_id: z.guid() })

/** Moves what another credit has available into the caller's. Whoever knows both credit_ids owns both. */
export const POST = handleApi(async request => {
  const into = requireCreditId(request.headers)
  const { from_credit_id: fromCreditId } = await readJson(request, bodySchema)
  const idempotencyKey = readIdempotencyKey(request.headers)
  const { ledger, rateLimits } = await services()
  await rateLimits.take('balance_look_up', request.headers)
  await requireManagedAccount(request, ledger)
  const from = { kind: 'credit_id', secretHash: hashSecret(fromCreditId.toLowerCase()) } as const
  const result = await ledger.merge({
    from,
    into,
    // Hashed, so that what a caller chose has the form of a reference; without a key every call is its own.
    reference: idempotencyKey === null ? randomUUID() : hashSecret(idempotencyKey),
  })
  if (result.outcome === 'unknown_credential') {
    await rateLimits.take('unknown_credential', request.headers)
    throw new ApiError('not_found', 'The credit to move is not known here. Check that it was copied whole.', {
      param: 'from_credit_id',
    })
  }
  if (result.outcome === 'same_account') {
    throw new ApiError('invalid_request', 'from_credit_id is the credit that it would be moved into.', {
      param: 'from_credit_id',
    })
  }
  return Response.json(
    { moved_usd: nanoToUsdNumber(result.movedNano), balance: nanoToUsdNumber(result.balanceNano) },
    { headers: { 'cache-control': 'no-store' } },
  )
})
