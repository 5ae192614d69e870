import 'server-only'
import { ApiError } from '@/lib/http/api-error'
import { hashSecret } from '@/lib/http/credential'
import { IDEMPOTENT_ATTEMPT_COUNT_MAX } from '@/lib/ledger/domain/metering-limits'
import { loadReplay } from '@/lib/ledger/server/metering/load-replay'
import { type BeginInput, type BeginResult, beginExchange } from './begin-exchange'
import type { ExchangeContext } from './exchange-context'
import { answerReply, type ExchangeReply, replyOf } from './exchange-reply'
import { keptAnswer } from './kept-answer'
import type { Answer, RunningExchange } from './running-exchange'

export interface OnceInput extends Omit<BeginInput, 'idempotencyKeyHash'> {
  idempotencyKey: string
  signal: AbortSignal
}

type Found =
  | { kind: 'running'; exchange: RunningExchange }
  | { kind: 'kept'; exchangeId: string; answer: Answer }

/**
 * Requests with an idempotency key that this process is answering. The unique key in the ledger decides
 * between processes; this spares those of one process the race for it.
 */
export type PendingAnswers = Map<string, { requestHash: string; found: Promise<Found> }>

/** Answers a request once, and every repetition of it with the same answer. @throws ApiError */
export async function completeOnce(
  context: ExchangeContext,
  pending: PendingAnswers,
  input: OnceInput,
): Promise<ExchangeReply> {
  const name = `${input.credential.secretHash} ${input.idempotencyKey}`
  let entry = pending.get(name)
  if (!entry) {
    entry = { requestHash: input.requestHash, found: findOrBegin(context, input) }
    pending.set(name, entry)
    forgetWhenOver(pending, name, entry.found)
  }
  if (entry.requestHash !== input.requestHash) throw otherRequest()
  const found = await entry.found
  if (found.kind === 'running') return replyOf(found.exchange, { afterEvent: 0, signal: input.signal })
  return answerReply({ ...found, afterEvent: 0 })
}

function forgetWhenOver(pending: PendingAnswers, name: string, found: Promise<Found>): void {
  const over = found.then(result => (result.kind === 'running' ? result.exchange.finished : null))
  over.then(
    () => pending.delete(name),
    () => pending.delete(name),
  )
}

/**
 * A first attempt that failed was released and cost nothing; its key is spent in the ledger all the
 * same. A retry therefore asks under the key's next attempt, so that the ledger still lets one of many
 * parallel retries through.
 */
async function findOrBegin(context: ExchangeContext, input: OnceInput): Promise<Found> {
  for (let attempt = 0; attempt < IDEMPOTENT_ATTEMPT_COUNT_MAX; attempt += 1) {
    const idempotencyKeyHash = hashSecret(`idempotency ${attempt} ${input.idempotencyKey}`)
    const begun = await beginExchange(context, { ...input, idempotencyKeyHash })
    if (begun.outcome === 'begun') return { kind: 'running', exchange: begun.exchange }
    const found = await findFirst(context, input, begun)
    if (found) return found
  }
  throw new ApiError('conflict', 'Every attempt under this Idempotency-Key has failed. Use a new one.')
}

/** The answer of the exchange that has the key; null when it failed and may be tried again. */
async function findFirst(
  context: ExchangeContext,
  input: OnceInput,
  duplicate: Extract<BeginResult, { outcome: 'duplicate' }>,
): Promise<Found | null> {
  const { holdId, accountId, sameRequest, state } = duplicate
  if (!sameRequest) throw otherRequest()
  const exchange = context.owners.find(holdId)
  if (exchange) return { kind: 'running', exchange }
  if (state === 'open') {
    throw new ApiError('conflict', 'The first request with this Idempotency-Key is still being answered.', {
      // Whoever can resume it finds it by its id.
      headers: { 'retry-after': '1', 'x-exchange-id': holdId },
    })
  }
  const secret = { kind: 'idempotency' as const, secret: input.idempotencyKey }
  const replay = await loadReplay(context.replayStore, { name: holdId, accountId, secret })
  if (replay) return { kind: 'kept', exchangeId: replay.exchangeId, answer: keptAnswer(replay) }
  if (state === 'released') return null
  throw new ApiError(
    'conflict',
    'The request with this Idempotency-Key was answered, and its answer is no longer kept. Use a new key.',
  )
}

function otherRequest(): ApiError {
  return new ApiError('idempotency_conflict', 'This Idempotency-Key was used with another request.')
}
