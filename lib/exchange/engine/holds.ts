import 'server-only'
import { setTimeout as wait } from 'node:timers/promises'
import { ApiError } from '@/lib/http/api-error'
import { within } from '@/lib/http/domain/within'
import { ledgerUnavailable } from '@/lib/http/handle-api'
import { requireKnown, unknownCredential } from '@/lib/http/require-account'
import { unlessAborted } from '@/lib/http/unless-aborted'
import type { Credential } from '@/lib/ledger/domain/accounts'
import type { Checkpoint, HoldInput, HoldResult, SettleResult } from '@/lib/ledger/domain/holds'
import type { Ledger } from '@/lib/ledger/domain/ledger'
import type { UsageDetail } from '@/lib/ledger/domain/usage'
import { formatUsd, maxNano, minNano, NANO_MAX, type Nano, nanoToUsdNumber } from '@/lib/money/nano'
import { log } from '@/lib/observability/log'
import { metrics } from '@/lib/observability/metrics'
import type { Charge, Counted } from '../domain/decide-charge'
import type { ExchangeContext } from './exchange-context'
import type { Settlement } from './kind'

export type OwnHold = Extract<HoldResult, { outcome: 'held' | 'duplicate' | 'other_routing' }>

/**
 * A bound may exceed the largest amount that the ledger knows. It is lowered to that, which nobody has either.
 * @throws ApiError invalid_credential, insufficient_credit, key_limit_reached, too_many_failures, ledger_unavailable
 */
export async function placeHold(ledger: Pick<Ledger, 'hold'>, input: HoldInput): Promise<OwnHold> {
  const amountNano = minNano(input.amountNano, NANO_MAX)
  const minimumNano = minNano(input.minimumNano, NANO_MAX)
  const leastNano = minNano(input.leastNano, NANO_MAX)
  const result = await askLedger(() => ledger.hold({ ...input, amountNano, minimumNano, leastNano }))
  switch (result.outcome) {
    case 'held':
      metrics.holds.inc({ event: 'placed' })
      return result
    case 'duplicate':
    case 'other_routing':
      return result
    case 'unknown_credential':
      throw unknownCredential()
    case 'insufficient_credit':
      throw insufficientCredit(result)
    case 'key_limit_reached':
      throw new ApiError(
        'key_limit_reached',
        `This API key has reached its spending limit: the request needs ${formatUsd(result.requiredNano)} USD, and the key may spend ${formatUsd(result.availableNano)} USD more.`,
        { details: amounts(result) },
      )
    case 'loss_limit_reached':
      throw new ApiError(
        'too_many_failures',
        'Too many failed calls of this account may have been billed to the site today. Nothing was charged for this request. Paid models are available again from midnight UTC; free models still are.',
        { headers: { 'retry-after': String(result.retryAfterSeconds) } },
      )
  }
}

/** Before anything is held. @throws ApiError invalid_credential, insufficient_credit, ledger_unavailable */
export async function requireCredit(
  ledger: Pick<Ledger, 'getBalance'>,
  { credential, requiredNano }: { credential: Credential; requiredNano: Nano },
): Promise<void> {
  const { availableNano } = requireKnown(await askLedger(() => ledger.getBalance({ credential })))
  if (availableNano <= 0n) throw insufficientCredit({ requiredNano, availableNano })
}

function insufficientCredit(result: Parameters<typeof amounts>[0]): ApiError {
  return new ApiError(
    'insufficient_credit',
    `Your balance is too low for this request: it needs ${formatUsd(result.requiredNano)} USD, and ${formatUsd(result.availableNano)} USD are available. Top up to continue.`,
    { details: amounts(result) },
  )
}

/** @throws ApiError ledger_unavailable, whatever kept the ledger from answering */
export async function askLedger<Result>(ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask()
  } catch (cause) {
    throw ledgerUnavailable(cause)
  }
}

function amounts(result: { availableNano: bigint; requiredNano: bigint }) {
  return {
    required_usd: nanoToUsdNumber(result.requiredNano),
    available_usd: nanoToUsdNumber(result.availableNano),
  }
}

/**
 * Renews a hold while its call runs. Each renewal carries a checkpoint of the cost so far, for the sweeper to settle
 * by if this process dies.
 * @param onLost the hold is no longer open, so that the rest of the answer could not be charged
 * @returns a function that ends the renewals
 */
export function keepHold(
  { ledger, limits }: ExchangeContext,
  input: { holdId: string; checkpoint: () => Promise<Checkpoint | null>; onLost: () => void },
): () => void {
  const { holdId } = input
  const warn = (message: string, error: unknown) => log.warn(message, { exchangeId: holdId, error })
  async function renew(): Promise<void> {
    const checkpoint = await input.checkpoint().catch(error => {
      warn('the cost of a running answer could not be counted', error)
      return null
    })
    try {
      const { renewed } = await ledger.renew({ holdId, ttlSeconds: limits.holdTtlSeconds, checkpoint })
      if (!renewed) input.onLost()
    } catch (error) {
      // The hold lives long enough for the next attempts.
      warn('a hold could not be renewed', error)
    }
  }
  const renewal = setInterval(renew, limits.holdRenewalIntervalMs).unref()
  return () => clearInterval(renewal)
}

/** @param isOwed nobody owes an answer that breaks off before any output, which is the operator's loss */
export function checkpointOf(
  { costNano, billedNano = 0n, counts, pricedAs }: Counted,
  isOwed: boolean,
  about: Pick<UsageDetail, 'upstreamId' | 'durationMs' | 'timeToFirstTokenMs'>,
): Checkpoint {
  const usage = {
    ...counts,
    ...(pricedAs && { pricedAs }),
    ...about,
    status: 'expired' as const,
    errorCode: null,
    estimated: isOwed,
    costBasis: isOwed ? ('local_count' as const) : ('none' as const),
  }
  const owedNano = isOwed ? costNano : 0n
  const allNano = minNano(maxNano(costNano, billedNano), NANO_MAX)
  return { costNano: owedNano, absorbedNano: maxNano(0n, allNano - owedNano), usage }
}

/**
 * Settles a hold for its cost, or releases it if there is none. Both can be repeated safely, so they are retried
 * while the ledger does not answer; if it stays away, the sweeper ends the hold.
 */
export async function endHold(
  context: ExchangeContext,
  input: { holdId: string; heldNano: Nano; charge: Charge; usage: UsageDetail },
): Promise<Settlement> {
  const { ledger, limits } = context
  const { holdId, heldNano, usage } = input
  const { costNano, absorbedNano } = input.charge
  const isOwed = costNano > 0n
  const attempts = retry(limits.settleRetryDelaysMs, async () => {
    const ended = isOwed
      ? await ledger.settle({ holdId, costNano, absorbedNano, usage })
      : await ledger.release({ holdId, absorbedNano, usage })
    if (ended.outcome === 'resolved') {
      metrics.holds.inc({ event: isOwed ? 'settled' : 'released' })
      metrics.chargedUsd.inc(nanoToUsdNumber(ended.chargedNano))
    }
    if (ended.outcome !== 'unknown_hold') metrics.lossUsd.inc(nanoToUsdNumber(ended.lossNano ?? 0n))
    return ended
  })
  const reportLoss = (ended: SettleResult | null) => {
    const chargedNano = ended && ended.outcome !== 'unknown_hold' ? ended.chargedNano : 0n
    const lostNano = minNano(costNano, heldNano) - chargedNano
    if (lostNano <= 0n) return
    const lost = `${formatUsd(lostNano)} USD of an answer`
    const what = ended
      ? `${lost} were not charged, because its hold had been swept`
      : `up to ${lost} will not be charged, because the ledger did not answer in time`
    context.report(`operator loss: ${what}`, holdId)
  }
  const result = await within(limits.settleWaitMs, attempts)
  if (result === null) {
    context.keepAlive(attempts)
    void unlessAborted(attempts, context.closing)
      .catch(() => null)
      .then(reportLoss)
    // The ledger will charge no more than was held.
    return { chargedNano: minNano(costNano, heldNano), balanceNano: null }
  }
  reportLoss(result)
  if (result.outcome === 'unknown_hold') return { chargedNano: 0n, balanceNano: null }
  return { chargedNano: result.chargedNano, balanceNano: result.balanceNano }
}

async function retry(
  delaysMs: readonly number[],
  attempt: () => Promise<SettleResult>,
): Promise<SettleResult | null> {
  for (const delayMs of [...delaysMs, null]) {
    try {
      return await attempt()
    } catch {
      if (delayMs === null) break
      await wait(delayMs, null, { ref: false })
    }
  }
  return null
}
