import 'server-only'
import type { IncomingMessage } from 'node:http'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import type { ApiError } from '@/lib/http/api-error'
import type { KeyRouting } from '@/lib/ledger/domain/keys'
import type { ExchangeDetail } from '@/lib/ledger/domain/usage'
import type { Decimal } from '@/lib/money/decimal'
import type { Nano } from '@/lib/money/nano'
import { UpstreamFailure } from '@/lib/upstream/ask-upstreams'
import type { SendInput } from '@/lib/upstream/send-upstream'
import type { Charge, CostFacts, Counted } from '../domain/decide-charge'
import type { AnswerTimes } from '../domain/exchange-limits'
import type { ExchangeEnd } from './ends'

/**
 * What a kind of paid call (chat, pictures, speech …) brings to the engine: what may be asked,
 * what it can cost, how it is asked of an upstream, how the answer is read and counted, and its last words.
 * Everything else the engine does, once for all of them.
 */
export interface Kind {
  readonly queryType: ExchangeDetail['queryType']
  /** The longest request that makes sense, and what it is. */
  readonly body: { bytesMax: number; content: 'json' | 'bytes' }
  /** It asks hosts as a key wants it; a key that wants something is of no use for any other kind. */
  readonly supportsKeyRouting?: true
  /** What stays the same when a request is sent again, where its bytes do not. @throws ApiError */
  contentHash?(body: Uint8Array, contentType: string | null): string
  /** Reads and prices a request; nothing has been held yet. @throws ApiError */
  quote(input: QuoteInput): Promise<Quote>
}

export interface QuoteInput {
  /** The request's body, as it came. */
  body: Uint8Array
  /** The same as JSON. @throws ApiError invalid_request */
  json(): Promise<unknown>
  contentType: string | null
  /** As the header `anthropic-beta` has them. */
  betas?: string | null
  /** What the API key that asks wants of hosts, beside what is asked; null where it wants nothing. */
  keyRouting: KeyRouting | null
}

/** A request with its price. */
export interface Quote {
  modelId: string
  /** Where others may answer in its place: all of them. */
  modelIds?: readonly string[]
  priceSnapshot: Record<string, string>
  /** Tells a retry from another request under the same idempotency key. */
  requestHash: string
  /** The most that it can cost: held in full where the balance affords it. */
  boundNano: Nano
  /** The least true bound with which it is worth making, with whatever can be lowered lowered. */
  minimumNano: Nano
  /** The same by an estimate, where the true bound is more than what the balance, or the payer's limit, allows. */
  estimated?(): Promise<EstimatedQuote>
  /** Nothing that was asked for has a price. */
  isFree: boolean
  /** What its answer takes of memory while it is made, where that is much for its price. */
  answerBytes?: number
  /** Fields of the body that were left out. */
  ignoredFields: readonly string[]
  /** In the order in which they are asked. */
  upstreams: readonly UpstreamSettings[]
  times: AnswerTimes
  /** Where errors have a form of their own: what is kept of one, for whoever asks again. */
  errorBody?(error: ApiError): unknown
  /** The call that can cost no more than what is held. */
  callFor(heldNano: Nano): UpstreamCall
}

/** What a request is reckoned to need. How far it may truly go beyond that is the operator's risk. */
interface EstimatedQuote {
  /** The least with which it is worth making; no more than the true minimum. */
  leastNano: Nano
  /** Of a part of it nobody can reckon how much there is to read: nothing below the true minimum is promised. */
  isGuess: boolean
  /** The most that the call which this much is reckoned to pay can truly cost. */
  boundFor(heldNano: Nano): Nano
  /** The call that is reckoned to cost no more than what is held. */
  callFor(heldNano: Nano): UpstreamCall
}

export type UpstreamRequest = Pick<SendInput, 'path' | 'body' | 'headers' | 'upstream'>

export interface UpstreamCall {
  /** @throws UpstreamFailure for what cannot be said to this upstream */
  requestTo(upstream: UpstreamSettings): UpstreamRequest | Promise<UpstreamRequest>
  /** The same in other words, where this upstream refused these and surely bills nothing; null where there are none. */
  rephrased?(failure: UpstreamFailure, upstream: UpstreamSettings): UpstreamCall | null
  /** How an answer with status 200 is read. @throws UpstreamFailure when it is no answer of this kind */
  open(response: IncomingMessage, upstream: UpstreamSettings): OpenedAnswer
  /** Says a refusal in this kind's words. */
  refusal?(failure: UpstreamFailure, upstream: UpstreamSettings): UpstreamFailure
  /** What has been asked for costs this much even if nothing of the answer is ever seen. */
  costWithoutAnswer(): Promise<Counted>
}

export type OpenedAnswer =
  | { form: 'stream'; reader: StreamReader; headers: Record<string, string> }
  /** `read` throws UpstreamFailure when the body is no answer. */
  | { form: 'whole'; read: (body: Buffer) => WholeAnswer }

/** What an answer tells of its cost; see `CostFacts`. */
export interface Evidence {
  hasOutput: boolean
  reportedCost: Decimal | null
  upstreamCount: Counted | null
  /** Its counts are more than what was sent and asked for makes possible. */
  isBeyondPossible: boolean
  localCount(): Promise<Counted>
  /** What the upstream calls the exchange, to ask it for its record. */
  generationId: string | null
  /** What its reader knows the answer by, where that is another name. */
  answerId?: string | null
}

/** An upstream failed, and told what that costs all the same. No other one is asked. */
export class BilledFailure extends UpstreamFailure {
  readonly evidence: Evidence

  constructor(failure: UpstreamFailure, evidence: Evidence) {
    super(failure.kind, failure.message, { ...failure.detail, mayBill: true })
    // Nothing of it is handed on.
    this.evidence = { ...evidence, hasOutput: false }
  }
}

/** Fails with what was told of its cost, if anything was. */
export function failureOf(failure: UpstreamFailure, evidence: Evidence): UpstreamFailure {
  return evidence.reportedCost || evidence.upstreamCount ? new BilledFailure(failure, evidence) : failure
}

/** Looks at a stream while it passes. */
export interface StreamReader {
  /** The bytes to hand on; null when there is nothing to say yet. @throws when they cannot be read */
  push(chunk: Buffer): Buffer | null
  /** What was held back, at the end of the upstream's answer. */
  flush(): Buffer | null
  /** The stream's own word for its end, before the connection's. */
  readonly ended: 'done' | 'failed' | null
  /** What it said when it failed. */
  readonly error: unknown
  /** The connection ended properly: was that the end of the answer? */
  isComplete(): boolean
  /** Something of the answer has been handed on. */
  readonly hasOutput: boolean
  /** Is it known, or can it be found out, what the answer costs if it is cut here? */
  isCountable(): boolean
  /** What its reader knows the answer by; null where nothing of it says so. */
  readonly answerId: string | null
  evidence(end: CostFacts['end']): Evidence
  /** What the reader hears last; null where only breaking off can say that it is not whole. */
  lastWords(input: {
    end: ExchangeEnd
    charge: Charge
    settlement: Settlement
    exchangeId: string
  }): Buffer | null
}

export interface WrittenAnswer {
  contentType: string
  body: Buffer
  headers?: Record<string, string>
}

export interface WholeAnswer {
  evidence(): Evidence
  /** Written when it is known what was charged, so that the body can tell; a promise where that takes many turns. */
  write(input: { charge: Charge; settlement: Settlement }): WrittenAnswer | Promise<WrittenAnswer>
}

/** What was charged in the end. */
export interface Settlement {
  chargedNano: Nano
  /** Null when the ledger did not answer in time; it is asked again in the background. */
  balanceNano: Nano | null
}
