import { randomUUID } from 'node:crypto'
import { services } from '@/lib/composition'
import { readIdempotencyKey } from '@/lib/exchange/engine/request-headers'
import { ApiError } from '@/lib/http/api-error'
import { hashSecret, requireCreditId } from '@/lib/http/credential'
import { handleApi } from '@/lib/http/handle-api'
import { readJson } from '@/lib/http/read-body'
import { requireManagedAccount } from '@/lib/http/require-account'
import type { MergeResult } from '@/lib/ledger/domain/credits'
import { nanoToUsdNumber } from '@/lib/money/nano'
import { type MergeBody, mergeBodySchema } from './merge-body'

/**
 * Moves what another credit has available into the caller's: whoever knows both credit_ids owns both. An API
 * key will do where it alone holds the balance, as an earlier version left some.
 */
export const POST = handleApi(async request => {
  const into = requireCreditId(request.headers)
  const { param, from } = await readJson(request, mergeBodySchema)
  const idempotencyKey = readIdempotencyKey(request.headers)
  const { ledger, rateLimits } = await services()
  await rateLimits.take('balance_look_up', request.headers)
  await requireManagedAccount(request, ledger)
  const result = await ledger.merge({
    from,
    into,
    // Hashed, so that what a caller chose has the form of a reference; without a key every call is its own.
    reference: idempotencyKey === null ? randomUUID() : hashSecret(idempotencyKey),
  })
  if (result.outcome === 'merged' || result.outcome === 'already_merged') {
    return Response.json(
      { moved_usd: nanoToUsdNumber(result.movedNano), balance: nanoToUsdNumber(result.balanceNano) },
      { headers: { 'cache-control': 'no-store' } },
    )
  }
  if (result.outcome === 'unknown_credential') await rateLimits.take('unknown_credential', request.headers)
  throw refusalOf(result.outcome, param)
})

type RefusedOutcome = Exclude<MergeResult['outcome'], 'merged' | 'already_merged'>

function refusalOf(outcome: RefusedOutcome, param: MergeBody['param']): ApiError {
  switch (outcome) {
    case 'unknown_credential': {
      const sentence = 'What the balance should come from is not known here. Check that it was copied whole.'
      return new ApiError('not_found', sentence, { param })
    }
    case 'same_account':
      return new ApiError('conflict', 'It is already part of the credit that it would be moved into.', {
        param,
      })
    case 'key_only_spends':
      return new ApiError(
        'forbidden',
        'This key spends from a credit: the balance moves with its credit_id.',
        {
          param,
        },
      )
  }
}
