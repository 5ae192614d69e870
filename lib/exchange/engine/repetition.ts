import 'server-only'
import { setTimeout as wait } from 'node:timers/promises'
import { ApiError } from '@/lib/http/api-error'
import { hashSecret } from '@/lib/http/credential'
import type { Credential } from '@/lib/ledger/domain/accounts'
import type { HoldResult } from '@/lib/ledger/domain/holds'
import type { KeyRouting } from '@/lib/ledger/domain/keys'
import { NANO_MAX } from '@/lib/money/nano'
import { IDEMPOTENT_ATTEMPT_COUNT_MAX } from '../domain/exchange-limits'
import { conflictForNow } from './ends'
import type { ExchangeContext } from './exchange-context'
import { askLedger } from './holds'
import { hashOfRequest, type Kind, type QuoteInput } from './kind'
import { type BodyMark, type KeptReplay, loadReplay } from './replays'

/** Null if it failed and may be tried again. @throws ApiError conflict if it is not there yet, or no longer */
export async function findKept(
  context: ExchangeContext,
  { holdId, accountId, state }: Extract<HoldResult, { outcome: 'duplicate' }>,
  idempotencyKey: string,
): Promise<KeptReplay | null> {
  if (state === 'open') throw stillAnswered(holdId)
  const secret = { kind: 'idempotency' as const, secret: idempotencyKey }
  const look = () => loadReplay(context, { name: holdId, accountId, secret })
  let kept = await look()
  // Another process may have settled just now, and be about to store its answer.
  for (const delayMs of state === 'settled' ? context.limits.replayPollDelaysMs : []) {
    if (kept) break
    await wait(delayMs)
    kept = await look()
  }
  if (kept || state === 'released') return kept
  // Its process withdraws it once it is stored, which a large answer or a slow database may delay. Whoever was told to
  // use a new key meanwhile would pay again.
  const isBeingStored = await askLedger(async () => context.board?.find({ name: holdId, accountId }))
  kept = await look()
  if (kept) return kept
  if (isBeingStored) throw stillAnswered(holdId)
  throw new ApiError(
    'conflict',
    'The request with this Idempotency-Key has been answered, but the answer is no longer stored. Use a new key.',
  )
}

/** A client with the resume key can fetch it under this id. */
function stillAnswered(holdId: string): ApiError {
  return conflictForNow('The first request with this Idempotency-Key is still being answered.', {
    'x-exchange-id': holdId,
  })
}

export interface RepeatInput {
  credential: Credential
  idempotencyKey: string
}

type SentBody = Pick<QuoteInput, 'body' | 'contentType'>

export function markOf(kind: Kind, { body, contentType }: SentBody): BodyMark {
  const hash = kind.contentHash?.(body, contentType) ?? hashOfRequest(body)
  return { byteCount: body.byteLength, hash }
}

/**
 * The length of the first body under this idempotency key. While that call runs and while its answer is kept, its
 * payer may send as many bytes again, even with an empty balance. 0 if there is no such call.
 *
 * @throws ApiError conflict, as the request itself would
 */
export async function firstBodyByteCount(
  context: ExchangeContext,
  pending: ReadonlyMap<string, { bodyByteCount: number }>,
  kind: Kind,
  input: RepeatInput,
): Promise<number> {
  const running = pending.get(pendingName(input))
  if (running) return running.bodyByteCount
  return (await findRepeated(context, kind, input))?.head.bodyMark?.byteCount ?? 0
}

/** The kept answer to the very same request, even if that cannot be priced any more. @throws ApiError conflict */
export async function findAnswered(
  context: ExchangeContext,
  kind: Kind,
  input: RepeatInput & SentBody,
): Promise<KeptReplay | null> {
  const kept = await findRepeated(context, kind, input)
  return kept?.head.bodyMark?.hash === markOf(kind, input).hash ? kept : null
}

/** A routing that no API key has, since each may ask at least one model. */
const IMPOSSIBLE_ROUTING: KeyRouting = {
  zdr: false,
  dataCollection: 'allow',
  maxPrice: null,
  serviceTier: null,
  models: [],
}

/** Null if it has not been answered, or may be tried again. @param pricedHash of the only request that is meant */
export async function findRepeated(
  context: ExchangeContext,
  { queryType }: Kind,
  input: RepeatInput,
  pricedHash: string | null = null,
): Promise<KeptReplay | null> {
  // A hold of more than anybody has, with a routing that no API key has, cannot succeed. The ledger is asked for it
  // because its answer says whether it knows the idempotency key.
  const impossible = { amountNano: NANO_MAX, minimumNano: NANO_MAX, leastNano: NANO_MAX }
  const exchange = { queryType, querySource: 'api' as const, modelId: '', priceSnapshot: {} }
  const { credential, idempotencyKey } = input
  const { holdTtlSeconds: ttlSeconds } = context.limits
  for (let attempt = 0; attempt < IDEMPOTENT_ATTEMPT_COUNT_MAX; attempt += 1) {
    const idempotencyKeyHash = attemptHash(input, attempt)
    const keys = { credential, idempotencyKeyHash, requestHash: pricedHash ?? idempotencyKeyHash }
    const hold = await askLedger(() =>
      context.ledger.hold({ ...impossible, keyRouting: IMPOSSIBLE_ROUTING, ...keys, exchange, ttlSeconds }),
    )
    if (pricedHash !== null && hold.outcome === 'duplicate' && !hold.sameRequest) return null
    const kept = hold.outcome === 'duplicate' && (await findKept(context, hold, idempotencyKey))
    if (kept || hold.outcome !== 'duplicate') return kept || null
  }
  return null
}

export function pendingName({ credential, idempotencyKey }: RepeatInput): string {
  return `${credential.secretHash} ${idempotencyKey}`
}

export function attemptHash({ credential, idempotencyKey }: RepeatInput, attempt: number): string {
  return hashSecret(`idempotency ${attempt} ${credential.secretHash} ${idempotencyKey}`)
}
