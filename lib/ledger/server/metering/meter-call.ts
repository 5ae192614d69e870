import 'server-only'
import { setTimeout as wait } from 'node:timers/promises'
import { ApiError } from '@/lib/http/api-error'
import { hashSecret } from '@/lib/http/credential'
import type { Nano } from '@/lib/money/nano'
import type { Credential, ExchangeDetail, HoldResult } from '../../domain/ledger'
import { IDEMPOTENT_ATTEMPT_COUNT_MAX } from '../../domain/metering-limits'
import type { CallAnswer } from './call-answer'
import { loadReplay } from './load-replay'
import { type MeteredReply, replyHeaders } from './metered-reply'
import type { Metering } from './metering'
import { placeHold } from './place-hold'
import { restarting } from './restarting'
import { runCall } from './run-call'

export interface MeteredCall {
  credential: Credential
  /** What is known before the upstream is called; the hold keeps it as its snapshot. */
  exchange: ExchangeDetail
  /** The most that the call can cost; held before the upstream is called. */
  boundNano: Nano
  /** The least hold with which the call is worth making; the same as the bound where nothing can be capped. */
  minimumNano: Nano
  /** SHA-256 of everything that makes two requests the same, the route included (`hashRequest`). */
  requestHash: string
  idempotencyKey: string | null
  /** Aborted when the client leaves, or with an ExchangeStopped when it says so. */
  signal: AbortSignal
  /**
   * Calls an upstream. Runs once, only while the money is held. What it throws releases the hold:
   * UpstreamFailure and ApiError reach the caller as they say, anything else as a 500. When `signal` is
   * aborted, the call must end.
   */
  call: (input: { holdId: string; heldNano: Nano; signal: AbortSignal }) => Promise<CallAnswer>
}

/**
 * The one way to make a paid call that is no token stream (pictures, speech, transcripts): holds the upper
 * bound, calls, keeps the hold alive meanwhile, and settles exactly once for what the answer cost, or
 * releases when nothing was delivered. A client that leaves ends the call; what the upstream has delivered
 * by then is paid for. Under an idempotency key the first answer is given again for ten minutes.
 *
 * The reply carries `x-exchange-id`, the id under which `GET /queries/{id}` tells the cost.
 *
 * @throws ApiError invalid_credential, insufficient_credit, key_limit_reached, idempotency_conflict,
 * conflict (with Retry-After while the first request runs), ledger_unavailable, upstream_error,
 * upstream_timeout, or the upstream's own complaint about the request
 */
export async function meterCall(metering: Metering, input: MeteredCall): Promise<MeteredReply> {
  if (metering.isDraining()) throw restarting()
  const { idempotencyKey } = input
  const attemptCount = idempotencyKey === null ? 1 : IDEMPOTENT_ATTEMPT_COUNT_MAX
  for (let attempt = 0; attempt < attemptCount; attempt += 1) {
    const hold = await placeHold(metering.ledger, {
      credential: input.credential,
      amountNano: input.boundNano,
      minimumNano: input.minimumNano,
      leastNano: input.minimumNano,
      ttlSeconds: metering.limits.holdTtlSeconds,
      // A first attempt that failed was released, and its key is spent: a retry asks under the next one.
      idempotencyKeyHash:
        idempotencyKey === null ? null : hashSecret(`idempotency ${attempt} ${idempotencyKey}`),
      requestHash: input.requestHash,
      exchange: input.exchange,
    })
    if (hold.outcome === 'held') return runCall(metering, { ...input, hold })
    const first = await findFirst(metering, hold, idempotencyKey ?? '')
    if (first) return first
  }
  throw new ApiError('conflict', 'Every attempt under this Idempotency-Key has failed. Use a new one.')
}

/** The kept answer of the call that has the key; null when it failed and may be tried again. */
async function findFirst(
  metering: Metering,
  duplicate: Extract<HoldResult, { outcome: 'duplicate' }>,
  idempotencyKey: string,
): Promise<MeteredReply | null> {
  const { holdId, accountId, sameRequest, state } = duplicate
  if (!sameRequest) {
    throw new ApiError('idempotency_conflict', 'This Idempotency-Key was used with another request.')
  }
  if (state === 'open') {
    throw new ApiError('conflict', 'The first request with this Idempotency-Key is still being answered.', {
      headers: { 'retry-after': '1', 'x-exchange-id': holdId },
    })
  }
  const secret = { kind: 'idempotency' as const, secret: idempotencyKey }
  const look = () => loadReplay(metering.replayStore, { name: holdId, accountId, secret })
  let kept = await look()
  // Another process may have been paid this moment, and be about to keep its answer.
  for (const delayMs of state === 'settled' ? metering.limits.keptLookDelaysMs : []) {
    if (kept) break
    await wait(delayMs)
    kept = await look()
  }
  if (kept) {
    const { status, contentType, headers } = kept.head
    const body = new Uint8Array(kept.bodyAfter(0) ?? [])
    return { status, headers: replyHeaders(holdId, contentType, headers), body }
  }
  if (state === 'released') return null
  throw new ApiError(
    'conflict',
    'The request with this Idempotency-Key was answered, and its answer is no longer kept. Use a new key.',
  )
}
