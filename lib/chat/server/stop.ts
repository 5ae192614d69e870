import 'server-only'
import { ApiError } from '@/lib/http/api-error'
import type { Credential } from '@/lib/ledger/domain/ledger'
import { nanoToUsdNumber } from '@/lib/money/nano'
import type { ExchangeContext } from './exchange-context'
import { requireOwner } from './require-owner'
import { within } from './within'

export interface StopInput {
  credential: Credential
  /** The exchange's id or its resume name. */
  name: string
}

export interface StopResult {
  id: string
  object: 'chat.completion.stopped'
  stopped: true
  /** What the delivered part cost; absent while the ledger has not answered. */
  cost?: number
  balance_usd?: number
}

/**
 * Ends a running answer: the upstream is aborted, the delivered part is paid for, and its reader gets a
 * proper end. @throws ApiError not_found when nothing of that name runs here for this account
 */
export async function stop(context: ExchangeContext, input: StopInput): Promise<StopResult> {
  const accountId = await requireOwner(context.ledger, input.credential)
  const exchange = context.owners.find(input.name)
  if (exchange?.accountId !== accountId) throw new ApiError('not_found', 'No such answer is being written.')
  exchange.stop('stopped')
  const settlement = await within(context.limits.stopWaitMs, exchange.finished)
  return {
    id: exchange.id,
    object: 'chat.completion.stopped',
    stopped: true,
    ...(settlement && { cost: nanoToUsdNumber(settlement.chargedNano) }),
    ...(settlement?.balanceNano != null && { balance_usd: nanoToUsdNumber(settlement.balanceNano) }),
  }
}
