import 'server-only'
import { createHash } from 'node:crypto'
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
 * What is particular to one kind of paid call (chat, pictures, speech …): what may be asked, what it can cost,
 * how an upstream is asked, how its answer is read and counted, and the last words of a stream. The engine does
 * everything else, once for all kinds.
 */
export interface Kind {
  readonly queryType: ExchangeDetail['queryType']
  /** The longest request that makes sense, and its form. */
  readonly body: { bytesMax: number; content: 'json' | 'bytes' }
  /** Obeys the routing of an API key. Other kinds refuse keys that restrict theirs. */
  readonly supportsKeyRouting?: true
  /** Identifies the content of a body whose bytes differ when it is sent again, as a form's do. @throws ApiError */
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
  /** The value of the header `anthropic-beta`. */
  betas?: string | null
  /** The routing that the API key adds to the request's own; null if it has none. */
  keyRouting: KeyRouting | null
  /**
   * To be awaited before work that takes as long as counting tokens: a balance of nothing cannot pay for the call.
   * @param aboutNano roughly what it costs
   * @throws ApiError invalid_credential, insufficient_credit
   */
  requireCredit?(aboutNano: Nano): Promise<void>
}

/** For `requestHash`: SHA-256 in hex, of all parts one after the other. */
export function hashOfRequest(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}

/** A priced request. */
export interface Quote {
  modelId: string
  /** All models that may answer, if there are several. */
  modelIds?: readonly string[]
  priceSnapshot: Record<string, string>
  /** Distinguishes a retry from a different request under the same idempotency key. */
  requestHash: string
  /** The most that it can cost: held in full if the balance affords it. */
  boundNano: Nano
  /** The bound of the smallest call that is still worth making: with everything lowered that can be. */
  minimumNano: Nano
  /** For a balance, or a maximum charge, below the true bound: what the call is estimated to need. */
  estimated?(): Promise<EstimatedQuote>
  /** Nothing that is asked for has a price. */
  isFree: boolean
  /** The memory that its answer takes while it is made, if that is much for its price. */
  answerBytes?: number
  /** Fields of the body that were left out. */
  ignoredFields: readonly string[]
  /** In the order in which they are asked. */
  upstreams: readonly UpstreamSettings[]
  times: AnswerTimes
  /** For kinds whose errors have a form of their own: the body of an error that is kept, or comes within an answer. */
  errorBody?(error: ApiError): unknown
  /** The body of an error whose status is sent already, and is that of an answer, if that differs. */
  lateErrorBody?(error: ApiError): unknown
  /** The call that can cost no more than the hold. */
  callFor(heldNano: Nano): UpstreamCall
}

/** What a request is estimated to need. What it costs beyond that is the operator's risk. */
interface EstimatedQuote {
  /** The estimate for the smallest call that is still worth making; at most the true minimum. */
  leastNano: Nano
  /** A part of the request has an unknown size, so nothing below the true minimum is promised. */
  isGuess: boolean
  /** The most that `callFor(heldNano)` can truly cost. */
  boundFor(heldNano: Nano): Nano
  /** The call that is estimated to cost no more than the hold. */
  callFor(heldNano: Nano): UpstreamCall
}

export type UpstreamRequest = Pick<SendInput, 'path' | 'body' | 'headers' | 'upstream'>

export interface UpstreamCall {
  /** @throws UpstreamFailure for what this upstream cannot be asked */
  requestTo(upstream: UpstreamSettings): UpstreamRequest | Promise<UpstreamRequest>
  /**
   * The same call in another form, after this upstream refused this one and surely bills nothing; null if there is
   * none.
   */
  rephrased?(failure: UpstreamFailure, upstream: UpstreamSettings): UpstreamCall | null
  /** Begins to read an answer with status 200. @throws UpstreamFailure if it is no answer of this kind */
  open(response: IncomingMessage, upstream: UpstreamSettings): OpenedAnswer
  /**
   * For calls that are only ever answered by a stream of events: that stream before an upstream has answered. It is
   * begun when they are slow to answer, and its reader's last words then tell of a failure. Null for other calls.
   */
  unanswered?(): OpenedStreamAnswer | null
  /** The answer will be JSON in one piece: one that is slow to come begins with white space. */
  readonly answersJson?: boolean
  /** Translates a refusal into this kind's own. */
  refusal?(failure: UpstreamFailure, upstream: UpstreamSettings): UpstreamFailure
  /** What the call costs even if nothing of its answer is ever seen: its prompt, at least. */
  costWithoutAnswer(): Promise<Counted>
}

interface OpenedStreamAnswer {
  form: 'stream'
  reader: StreamReader
  headers: Record<string, string>
}

export type OpenedAnswer =
  | OpenedStreamAnswer
  /** `read` throws UpstreamFailure when the body is no answer. */
  | { form: 'whole'; read: (body: Buffer) => WholeAnswer }

/** What is known of an answer's cost; see `CostFacts`. */
export interface Evidence {
  hasOutput: boolean
  reportedCost: Decimal | null
  upstreamCount: Counted | null
  /** The upstream's counts exceed what was sent and asked for. */
  isBeyondPossible: boolean
  localCount(): Promise<Counted>
  /** The upstream's id of the exchange, to fetch its record with. */
  generationId: string | null
  /** The id in the answer, if that is another one. */
  answerId?: string | null
}

/** An upstream that failed and reported a cost all the same. No other one is asked. */
export class BilledFailure extends UpstreamFailure {
  readonly evidence: Evidence

  constructor(failure: UpstreamFailure, evidence: Evidence) {
    super(failure.kind, failure.message, { ...failure.detail, mayBill: true })
    // None of its output is passed on.
    this.evidence = { ...evidence, hasOutput: false }
  }
}

/** The failure, with what was reported of its cost, if anything was. */
export function failureOf(failure: UpstreamFailure, evidence: Evidence): UpstreamFailure {
  return evidence.reportedCost || evidence.upstreamCount ? new BilledFailure(failure, evidence) : failure
}

/** Reads a stream while it is relayed. */
export interface StreamReader {
  /** The bytes to pass on; null if there are none yet. @throws if they cannot be read */
  push(chunk: Buffer): Buffer | null
  /** What was still held back when the upstream's answer ended. */
  flush(): Buffer | null
  /** How the stream said that it ends, before the connection does. */
  readonly ended: 'done' | 'failed' | null
  /** The error in the stream, if it failed. */
  readonly error: unknown
  /** Whether a connection that ended properly ended the answer, too. */
  isComplete(): boolean
  /** Whether nothing of the answer is missing, however its connection ends. */
  hasEverything(): boolean
  /** Whether the cost is known, or can be found out, if the answer is cut here. */
  isCountable(): boolean
  /** The upstream bills all of it, so that cutting it saves nothing. */
  readonly isBilledWhole?: true
  /** The id in the answer; null if there is none. */
  readonly answerId: string | null
  evidence(end: CostFacts['end']): Evidence
  /** The end of the stream; null if only breaking off can say that it is not whole. */
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
  /** Called once the charge is known, so that the body can contain it. Asynchronous for large bodies. */
  write(input: { charge: Charge; settlement: Settlement }): WrittenAnswer | Promise<WrittenAnswer>
}

/** The outcome of a hold. */
export interface Settlement {
  chargedNano: Nano
  /** Null when the ledger did not answer in time; it is asked again in the background. */
  balanceNano: Nano | null
}
