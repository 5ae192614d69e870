import 'server-only'
import { ApiError } from '@/lib/http/api-error'
import type { HoldResult, UsageDetail } from '../../domain/ledger'
import type { CallCharge } from './call-answer'
import { endOfRefusal } from './end-of-refusal'
import { type ExchangeEnd, ExchangeStopped, type StopCause } from './exchange-stopped'
import { handOnWhole } from './hand-on-whole'
import { keepReplay } from './keep-replay'
import type { MeteredCall } from './meter-call'
import type { MeteredReply } from './metered-reply'
import type { Metering } from './metering'
import { relayBytes } from './relay-bytes'
import { startRenewal } from './renew-hold'
import { resolveExchange, type Settlement } from './resolve-exchange'

export interface RunCallInput extends MeteredCall {
  hold: Extract<HoldResult, { outcome: 'held' }>
}

/** What hands an answer on works with. */
export interface HandOn {
  readonly holdId: string
  readonly abort: AbortController
  readonly onReply: (reply: MeteredReply) => void
  readonly resolve: (end: CallEnd) => Promise<Settlement>
  /** False: nobody can ask for the answer again. */
  readonly isKept: boolean
  /** Keeps an answer for the retries of its idempotency key. */
  readonly keep: (answer: KeptAnswer) => Promise<void>
}

interface KeptAnswer {
  contentType: string
  headers?: Record<string, string>
  entries: Buffer[]
}

export interface CallEnd {
  end: ExchangeEnd
  upstreamId: string | null
  /** Null: nothing was delivered, and the hold is released. */
  charge: CallCharge | null
  timeToFirstByteMs: number | null
}

/** Owns a call from its hold to its resolution. Whatever happens, the hold is resolved once. */
export function runCall(metering: Metering, input: RunCallInput): Promise<MeteredReply> {
  const { hold, signal } = input
  const startedAtMs = metering.now()
  const abort = new AbortController()
  const reply = Promise.withResolvers<MeteredReply>()
  // Nobody may be waiting any more when it is refused.
  reply.promise.catch(() => {})
  const stop = (cause: StopCause) => abort.abort(new ExchangeStopped(cause))
  const onLeave = () => stop('disconnected')
  const finished = run()
  metering.claim({ finished, stop })
  metering.keepAlive(finished)
  return reply.promise

  async function run(): Promise<void> {
    const { limits } = metering
    const stopRenewal = startRenewal({
      ledger: metering.ledger,
      holdId: hold.holdId,
      ttlSeconds: limits.holdTtlSeconds,
      intervalMs: limits.holdRenewalIntervalMs,
      onLost: () => stop('hold_lost'),
    })
    const durationTimer = setTimeout(() => stop('too_long'), limits.exchangeDurationMsMax)
    if (signal.aborted) onLeave()
    else signal.addEventListener('abort', onLeave, { once: true })
    try {
      abort.signal.throwIfAborted()
      const { holdId, amountNano: heldNano } = hold
      const answer = await input.call({ holdId, heldNano, signal: abort.signal })
      const isKept = input.idempotencyKey !== null
      const handOn: HandOn = { holdId, abort, onReply: reply.resolve, resolve, isKept, keep: keepAnswer }
      if (answer.kind === 'whole') await handOnWhole(metering, { ...handOn, answer, startedAtMs })
      else await relayBytes(metering, { ...handOn, answer, startedAtMs })
    } catch (error) {
      await refuse(error)
    } finally {
      stopRenewal()
      clearTimeout(durationTimer)
      signal.removeEventListener('abort', onLeave)
    }
  }

  function resolve(outcome: CallEnd): Promise<Settlement> {
    return resolveExchange({
      ledger: metering.ledger,
      holdId: hold.holdId,
      costNano: outcome.charge?.costNano ?? 0n,
      usage: usageDetail(outcome, Math.round(metering.now() - startedAtMs)),
      limits: metering.limits,
      onPending: metering.keepAlive,
    })
  }

  function keepAnswer(kept: KeptAnswer, status = 200): Promise<void> {
    const { contentType, headers, entries } = kept
    return keepReplay(metering, {
      exchangeId: hold.holdId,
      accountId: hold.accountId,
      replayKeys: { resumeKey: null, resumeName: null, idempotencyKey: input.idempotencyKey },
      head: { status, contentType, numbered: false, headers },
      entries,
    })
  }

  /** Nothing was delivered: the hold is released and the caller is told why. */
  async function refuse(cause: unknown): Promise<void> {
    const end = endOfRefusal(cause, abort.signal)
    const error = end.error ?? new ApiError('conflict', 'The request was stopped before it was answered.')
    await resolve({ end, upstreamId: null, charge: null, timeToFirstByteMs: null })
    // The request itself is wrong, and stays so: a retry gets the same answer. Other failures may pass.
    if (error.code === 'unprocessable' || error.code === 'invalid_request') {
      const entries = [Buffer.from(JSON.stringify(error.toBody()))]
      await keepAnswer({ contentType: 'application/json', entries }, error.status)
    }
    reply.reject(error)
  }
}

function usageDetail(
  { end, upstreamId, charge, timeToFirstByteMs }: CallEnd,
  durationMs: number,
): UsageDetail {
  return {
    status: end.status,
    errorCode: end.error?.code ?? null,
    inputTokenCount: charge?.inputTokenCount ?? 0,
    cachedInputTokenCount: charge?.cachedInputTokenCount ?? 0,
    outputTokenCount: charge?.outputTokenCount ?? 0,
    reasoningTokenCount: 0,
    estimated: charge?.estimated ?? false,
    costBasis: charge?.costBasis ?? 'none',
    upstreamId,
    durationMs,
    timeToFirstTokenMs: timeToFirstByteMs,
  }
}
