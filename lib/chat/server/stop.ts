import 'server-only'
import { ApiError } from '@/lib/http/api-error'
import type { Credential } from '@/lib/ledger/domain/ledger'
import { askLedger } from '@/lib/ledger/server/metering/place-hold'
import { within } from '@/lib/ledger/server/metering/within'
import { type Nano, nanoToUsdNumber } from '@/lib/money/nano'
import type { ExchangeContext } from './exchange-context'
import { lookUntil } from './look-until'
import { requireOwner } from './require-owner'

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
 * proper end. @throws ApiError not_found when nothing of that name runs for this account
 */
export async function stop(context: ExchangeContext, input: StopInput): Promise<StopResult> {
  const accountId = await requireOwner(context.ledger, input.credential)
  const exchange = context.owners.find(input.name)
  if (exchange?.accountId !== accountId) return stopElsewhere(context, { ...input, accountId })
  exchange.stop('stopped')
  const settlement = await within(context.limits.stopWaitMs, exchange.finished)
  return resultOf(exchange.id, settlement?.chargedNano, settlement?.balanceNano)
}

/** The owner is another process: it is left word, and what it settles is looked for. */
async function stopElsewhere(
  { board, ledger, limits }: ExchangeContext,
  { name, accountId, credential }: StopInput & { accountId: string },
): Promise<StopResult> {
  const exchangeId = (await askLedger(async () => board?.requestStop({ name, accountId }))) ?? null
  if (exchangeId === null) throw new ApiError('not_found', 'No such answer is being written.')
  const usage = await lookUntil({
    look: () => askLedger(() => ledger.getUsage({ accountId, holdId: exchangeId })),
    intervalMs: limits.elsewhereLookIntervalMs,
    timeMsMax: limits.stopWaitMs,
  })
  const balance = usage && (await askLedger(() => ledger.getBalance({ credential })))
  return resultOf(exchangeId, usage?.chargedNano, balance?.balanceNano)
}

function resultOf(id: string, chargedNano?: Nano, balanceNano?: Nano | null): StopResult {
  return {
    id,
    object: 'chat.completion.stopped',
    stopped: true,
    ...(chargedNano !== undefined && { cost: nanoToUsdNumber(chargedNano) }),
    ...(balanceNano != null && { balance_usd: nanoToUsdNumber(balanceNano) }),
  }
}
