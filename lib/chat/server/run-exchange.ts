import 'server-only'
import { ApiError } from '@/lib/http/api-error'
import { endOfRefusal } from '@/lib/ledger/server/metering/end-of-refusal'
import { ExchangeStopped, type StopCause } from '@/lib/ledger/server/metering/exchange-stopped'
import { keepReplay, type ReplayKeys } from '@/lib/ledger/server/metering/keep-replay'
import { startRenewal } from '@/lib/ledger/server/metering/renew-hold'
import type { Settlement } from '@/lib/ledger/server/metering/resolve-exchange'
import type { ChargeFacts } from '../domain/decide-charge'
import { createAttendance } from './attendance'
import { concludeExchange } from './conclude-exchange'
import type { ExchangeContext } from './exchange-context'
import type { OpenedAnswer } from './open-answer'
import { relayStream } from './relay-stream'
import { relayWhole } from './relay-whole'
import type { Answer, RunningExchange } from './running-exchange'

/** Everything of an exchange that lives as long as its answer: small, and nothing of the request. */
export interface RunInput {
  holdId: string
  accountId: string
  modelId: string
  pricing: Omit<ChargeFacts, 'reports' | 'delivered' | 'inputTokenCountEstimate'>
  opening: Promise<{ opened: OpenedAnswer; inputTokenCountEstimate: number }>
  abort: AbortController
  replayKeys: ReplayKeys
  startedAtMs: number
}

/** Owns an exchange from its hold to its resolution. Whatever happens, the hold is resolved once. */
export function runExchange(context: ExchangeContext, input: RunInput): RunningExchange {
  const { holdId, abort, replayKeys } = input
  const answer = Promise.withResolvers<Answer>()
  // Nobody may be waiting any more when it is refused.
  answer.promise.catch(() => {})
  const stop = (cause: StopCause) => abort.abort(new ExchangeStopped(cause))
  const attend = createAttendance(() => {
    if (replayKeys.resumeKey === null) stop('disconnected')
  })
  const finished = run()
  const exchange: RunningExchange = {
    id: holdId,
    accountId: input.accountId,
    resumeName: replayKeys.resumeName,
    answer: answer.promise,
    finished,
    attend,
    stop,
  }
  context.owners.claim(exchange)
  context.keepAlive(finished)
  return exchange

  async function run(): Promise<Settlement> {
    const { limits } = context
    const stopRenewal = startRenewal({
      ledger: context.ledger,
      holdId,
      ttlSeconds: limits.holdTtlSeconds,
      intervalMs: limits.holdRenewalIntervalMs,
      onLost: () => stop('hold_lost'),
    })
    const durationTimer = setTimeout(() => stop('too_long'), limits.exchangeDurationMsMax)
    try {
      const { opened, inputTokenCountEstimate } = await input.opening
      const relay = { ...input, inputTokenCountEstimate, onAnswer: answer.resolve }
      return opened.kind === 'stream'
        ? await relayStream(context, { ...relay, opened })
        : await relayWhole(context, { ...relay, opened })
    } catch (error) {
      return await refuse(error)
    } finally {
      stopRenewal()
      clearTimeout(durationTimer)
    }
  }

  /** No upstream began to answer: the hold is released and the caller is told why. */
  async function refuse(cause: unknown): Promise<Settlement> {
    const end = endOfRefusal(cause, abort.signal)
    const error = end.error ?? new ApiError('conflict', 'The request was stopped before it was answered.')
    const { settlement } = await concludeExchange(context, {
      holdId,
      end,
      upstreamId: null,
      generationId: null,
      facts: null,
      timing: { durationMs: Math.round(context.now() - input.startedAtMs), timeToFirstTokenMs: null },
    })
    answer.reject(error)
    // The request itself is wrong, and stays so: a retry gets the same answer. Other failures may pass.
    if (error.code === 'unprocessable' || error.code === 'invalid_request') {
      const head = { status: error.status, contentType: 'application/json', numbered: false }
      const entries = [Buffer.from(JSON.stringify(error.toBody()))]
      await keepReplay(context, { exchangeId: holdId, accountId: input.accountId, replayKeys, head, entries })
    }
    return settlement
  }
}
