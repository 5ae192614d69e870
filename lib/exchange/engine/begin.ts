import 'server-only'
import { ApiError } from '@/lib/http/api-error'
import type { ApiErrorCode } from '@/lib/http/domain/error-codes'
import type { HoldInput, HoldResult } from '@/lib/ledger/domain/holds'
import type { Ledger } from '@/lib/ledger/domain/ledger'
import type { ExchangeDetail } from '@/lib/ledger/domain/usage'
import { formatUsd, minNano, type Nano, nanoToUsdNumber } from '@/lib/money/nano'
import { IDEMPOTENT_ATTEMPT_COUNT_MAX } from '../domain/exchange-limits'
import { conflictForNow, restarting } from './ends'
import type { ExchangeContext } from './exchange-context'
import { askLedger, type OwnHold, placeHold } from './holds'
import {
  type KeyQuote,
  lowestMaxCharge,
  quoteWithCurrentRouting,
  quoteWithRememberedRouting,
  type UnroutedQuoteInput,
} from './key-routing'
import type { Kind, Quote } from './kind'
import type { RunningExchange } from './owners'
import { attemptHash, findAnswered, findKept, findRepeated, markOf, pendingName } from './repetition'
import type { KeptReplay, ReplayKeys } from './replays'
import { type ExchangeReply, keptReply, replyOf } from './reply'
import { resumeNameOf } from './request-headers'
import { runExchange } from './run'

export interface BeginInput extends UnroutedQuoteInput {
  idempotencyKey: string | null
  /** The most that this call may charge (X-Max-Charge-USD); null for no limit. */
  maxChargeNano: Nano | null
  /** If set, the answer is read to its end and kept, whether or not its reader stays. */
  resumeKey: string | null
  querySource: ExchangeDetail['querySource']
  /** Counts one free answer of the account and its address. @throws ApiError rate_limited */
  takeFree: (accountId: string) => Promise<void>
  /** Aborted when the client leaves. */
  signal: AbortSignal
}

type Found = { found: 'running'; exchange: RunningExchange } | { found: 'kept'; kept: KeptReplay }

/**
 * Requests with an idempotency key that this process is answering. The unique key in the ledger decides
 * between processes; this spares those of one process the race for it.
 */
export type PendingAnswers = Map<
  string,
  { requestHash: string; bodyByteCount: number; found: Promise<Found> }
>

/** One paid call: priced, held, and only then asked of an upstream. @throws ApiError */
export async function begin(
  context: ExchangeContext,
  pending: PendingAnswers,
  kind: Kind,
  input: BeginInput,
): Promise<ExchangeReply> {
  if (context.isDraining()) throw restarting()
  const { idempotencyKey, body, signal } = input
  let priced: KeyQuote
  try {
    priced = await quoteWithRememberedRouting(context, kind, input)
  } catch (refusal) {
    // Its model may have been delisted since, but an answer that was paid for is still replayed.
    const kept = idempotencyKey && (await findAnswered(context, kind, { ...input, idempotencyKey }))
    if (!kept) throw refusal
    return keptReply(context, kept, 0)
  }
  const request = { requestHash: priced.quote.requestHash, bodyByteCount: body.byteLength }
  const start = () => beginOrFind(context, kind, priced, input)
  const found = await (idempotencyKey === null
    ? start()
    : beginOnce(pending, pendingName({ ...input, idempotencyKey }), request, start))
  if (found.found === 'running') return replyOf(found.exchange, { afterEvent: 0, signal })
  return keptReply(context, found.kept, 0)
}

/** Answers a request once, and every repetition of it with the same answer. */
function beginOnce(
  pending: PendingAnswers,
  name: string,
  request: { requestHash: string; bodyByteCount: number },
  start: () => Promise<Found>,
): Promise<Found> {
  const known = pending.get(name)
  if (known && known.requestHash !== request.requestHash) throw otherRequest()
  if (known) return known.found
  const found = start()
  pending.set(name, { ...request, found })
  const forget = () => pending.delete(name)
  found.then(result => (result.found === 'running' ? result.exchange.finished : null)).then(forget, forget)
  return found
}

/**
 * A first attempt that failed was released and cost nothing, but the ledger has its key all the same. A retry
 * therefore asks under the next attempt of that key, and of many parallel retries the ledger still lets only one
 * through. Keys belong to a credential: another credential of the same account learns nothing by repeating one.
 */
async function beginOrFind(
  context: ExchangeContext,
  kind: Kind,
  priced: KeyQuote,
  input: BeginInput,
): Promise<Found> {
  const { credential, idempotencyKey } = input
  const findKeptAgain = () => findAgain(context, kind, priced, input)
  if (priced.quote.isFree) {
    // An answer that is replayed does not count towards the limit of free answers.
    const again = await findKeptAgain()
    if (again) return again
    await countFreeAnswer(context, input)
  }
  const attemptCount = idempotencyKey === null ? 1 : IDEMPOTENT_ATTEMPT_COUNT_MAX
  for (let attempt = 0; attempt < attemptCount; attempt += 1) {
    const startedAtMs = performance.now()
    const idempotencyKeyHash = idempotencyKey && attemptHash({ credential, idempotencyKey }, attempt)
    const asked = { ...input, idempotencyKeyHash }
    const held = await holdWithCurrentRouting(context, kind, priced, asked).catch(async refusal => {
      // The price may have risen above the limit since this very request was paid for.
      const again = isPriceAbove(refusal) ? await findKeptAgain() : null
      if (again) return again
      throw refusal
    })
    if ('found' in held) return held
    const { quote, hold, callFor } = held
    if (hold.outcome === 'held') {
      const { holdId, accountId, amountNano: heldNano } = hold
      const replayKeys = replayKeysOf(input)
      const bodyMark = idempotencyKey === null ? undefined : markOf(kind, input)
      const run = { holdId, accountId, heldNano, quote, replayKeys, bodyMark, startedAtMs }
      const exchange = runExchange(context, { ...run, call: callFor(heldNano) })
      // Held a moment too late: it is given back before anybody is asked.
      if (context.closing.aborted) {
        exchange.stop('shutdown')
        await exchange.finished
        throw restarting()
      }
      return { found: 'running', exchange }
    }
    const found = await findFirst(context, hold, idempotencyKey ?? '')
    if (found) return found
  }
  throw new ApiError('conflict', 'Too many attempts with this Idempotency-Key have failed. Use a new key.')
}

/** The kept answer of the very same request. */
async function findAgain(
  context: ExchangeContext,
  kind: Kind,
  { quote: { requestHash } }: KeyQuote,
  { credential, idempotencyKey }: BeginInput,
): Promise<Found | null> {
  const kept =
    idempotencyKey && (await findRepeated(context, kind, { credential, idempotencyKey }, requestHash))
  return kept ? { found: 'kept', kept } : null
}

function isPriceAbove(refusal: unknown): boolean {
  return refusal instanceof ApiError && refusal.code === 'price_above_limit'
}

/** How often an API key may be changed while one request is being priced. */
const KEY_CHANGE_COUNT_MAX = 4

/**
 * Holds with the routing that the API key has at that moment: if the ledger knows a newer one, the call is quoted
 * again.
 */
async function holdWithCurrentRouting(
  context: ExchangeContext,
  kind: Kind,
  priced: KeyQuote,
  input: BeginInput & { idempotencyKeyHash: string | null },
) {
  const { credential, querySource, idempotencyKeyHash } = input
  const { holdTtlSeconds: ttlSeconds } = context.limits
  let { quote, keyRouting } = priced
  for (let change = 0; change < KEY_CHANGE_COUNT_MAX; change += 1) {
    const { requestHash, modelId, priceSnapshot } = quote
    const exchange = { queryType: kind.queryType, querySource, modelId, priceSnapshot }
    const asked = { credential, ttlSeconds, idempotencyKeyHash, requestHash, exchange, keyRouting }
    const { hold, callFor } = await holdFor(
      context,
      quote,
      lowestMaxCharge(input.maxChargeNano, keyRouting),
      asked,
    )
    if (hold.outcome !== 'other_routing') return { quote, hold, callFor }
    keyRouting = hold.keyRouting
    quote = (await quoteWithCurrentRouting(context, kind, input, keyRouting)).quote
  }
  throw conflictForNow('The settings of this API key are being changed at the moment. Try again.')
}

/**
 * Holds the true bound, or as much of it as the balance has, down to the true minimum. If even that is too much,
 * it holds what the call is estimated to need, as far as the ledger lets the operator take the risk. A payer whose
 * maximum charge is below the bound was shown an estimate, and pays no more than that maximum.
 */
export async function holdFor(
  { ledger }: { ledger: Pick<Ledger, 'hold'> },
  quote: Quote,
  maxChargeNano: Nano | null,
  input: Omit<HoldInput, 'amountNano' | 'minimumNano' | 'leastNano'>,
): Promise<{ hold: OwnHold } & Pick<Quote, 'callFor'>> {
  const { boundNano } = quote
  const amountNano = maxChargeNano === null ? boundNano : minNano(maxChargeNano, boundNano)
  let refusal: unknown = null
  for await (const way of waysToHold(quote, amountNano)) {
    try {
      const hold = await placeHold(ledger, { ...input, ...way, amountNano })
      const isAtRisk = hold.outcome === 'held' && hold.amountNano < way.minimumNano
      return { hold, callFor: isAtRisk ? way.callFor : quote.callFor }
    } catch (error) {
      if (!isShortage(error)) throw error
      refusal = error
      // Nothing is available: no estimate could be as low as that, and making one takes work.
      if (Number(error.details.available_usd) === 0) throw refusal
    }
  }
  // The balance would do; it is the maximum charge that is too low.
  if (!isShortage(refusal) || Number(refusal.details.available_usd) >= nanoToUsdNumber(amountNano))
    throw priceAboveLimit(quote)
  throw refusal
}

/** Before anybody pays for a call. @throws ApiError price_above_limit if its maximum charge is too low for it */
export async function requireWayToHold(quote: Quote, maxChargeNano: Nano): Promise<void> {
  // An estimate takes work.
  if (quote.minimumNano <= maxChargeNano) return
  const { done } = await waysToHold(quote, maxChargeNano).next()
  if (done) throw priceAboveLimit(quote)
}

function priceAboveLimit({ minimumNano }: Quote): ApiError {
  return new ApiError(
    'price_above_limit',
    `This request can cost more than its limit: the X-Max-Charge-USD that was sent with it, or the limit of its API key. It needs at least ${formatUsd(minimumNano)} USD. Nothing was charged.`,
    { param: 'x-max-charge-usd', details: { required_usd: nanoToUsdNumber(minimumNano) } },
  )
}

type WayToHold = Pick<HoldInput, 'minimumNano' | 'leastNano'> & Pick<Quote, 'callFor'>

/** From the safest to the riskiest: the ledger is asked for each one only when it has refused the one before. */
async function* waysToHold(quote: Quote, amountNano: Nano): AsyncGenerator<WayToHold> {
  const { callFor } = quote
  const minimumNano = minNano(quote.minimumNano, quote.boundNano)
  const estimated = amountNano < quote.boundNano ? await quote.estimated?.() : undefined
  if (estimated && !estimated.isGuess && estimated.leastNano <= amountNano) {
    const truly = estimated.boundFor(amountNano)
    yield { minimumNano: truly, leastNano: amountNano, callFor: estimated.callFor }
  }
  if (minimumNano <= amountNano) yield { minimumNano, leastNano: minimumNano, callFor }
  const probable = estimated ?? (await quote.estimated?.())
  if (!probable || probable.leastNano >= minimumNano || probable.leastNano > amountNano) return
  if (probable.isGuess && minimumNano > amountNano) return
  yield { minimumNano, leastNano: probable.leastNano, callFor: probable.callFor }
}

function isShortage(error: unknown): error is ApiError {
  return error instanceof ApiError && SHORTAGES.has(error.code)
}

const SHORTAGES: ReadonlySet<ApiErrorCode> = new Set(['insufficient_credit', 'key_limit_reached'])

/** Free answers are limited by their number. */
async function countFreeAnswer(context: ExchangeContext, input: BeginInput): Promise<void> {
  const { credential } = input
  const balance = await askLedger(() => context.ledger.getBalance({ credential }))
  if (balance) await input.takeFree(balance.accountId)
}

function replayKeysOf({ resumeKey, idempotencyKey }: BeginInput): ReplayKeys {
  return { resumeKey, resumeName: resumeKey && resumeNameOf(resumeKey), idempotencyKey }
}

/** The answer of the exchange that already has this key; null if it failed and may be tried again. */
async function findFirst(
  context: ExchangeContext,
  duplicate: Extract<HoldResult, { outcome: 'duplicate' }>,
  idempotencyKey: string,
): Promise<Found | null> {
  const { holdId, accountId, sameRequest } = duplicate
  if (!sameRequest) throw otherRequest()
  const exchange = context.owners.find({ name: holdId, accountId })
  if (exchange) return { found: 'running', exchange }
  const kept = await findKept(context, duplicate, idempotencyKey)
  return kept && { found: 'kept', kept }
}

function otherRequest(): ApiError {
  return new ApiError(
    'idempotency_conflict',
    'This Idempotency-Key has already been used for a different request. Use a new key.',
  )
}
