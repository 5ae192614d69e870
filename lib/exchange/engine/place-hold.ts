import 'server-only'
import { ApiError } from '@/lib/http/api-error'
import type { HoldInput, HoldResult, Ledger } from '@/lib/ledger/domain/ledger'
import { nanoToUsdNumber } from '@/lib/money/nano'

export type PlacedHold = Extract<HoldResult, { outcome: 'held' | 'duplicate' }>

/** @throws ApiError invalid_credential, insufficient_credit, key_limit_reached, ledger_unavailable */
export async function placeHold(ledger: Ledger, input: HoldInput): Promise<PlacedHold> {
  const result = await askLedger(() => ledger.hold(input))
  switch (result.outcome) {
    case 'held':
    case 'duplicate':
      return result
    case 'unknown_credential':
      throw new ApiError('invalid_credential', 'The credential that was sent is not known here.')
    case 'insufficient_credit':
      throw new ApiError(
        'insufficient_credit',
        'Your balance is too low for this request. Top up to go on.',
        {
          details: amounts(result),
        },
      )
    case 'key_limit_reached':
      throw new ApiError('key_limit_reached', 'This API key has reached its spending limit.', {
        details: amounts(result),
      })
  }
}

/** @throws ApiError ledger_unavailable in place of whatever kept the ledger from answering */
export async function askLedger<Result>(ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask()
  } catch (cause) {
    throw new ApiError(
      'ledger_unavailable',
      'Balances cannot be looked up at the moment. Nothing was charged; try again shortly.',
      { cause, headers: { 'retry-after': '2' } },
    )
  }
}

function amounts(result: { availableNano: bigint; requiredNano: bigint }) {
  return {
    required_usd: nanoToUsdNumber(result.requiredNano),
    available_usd: nanoToUsdNumber(result.availableNano),
  }
}
