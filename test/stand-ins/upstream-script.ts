/**
 * The stand-in upstream's answers as plain data, so that a test can build them in process or post them to `/__script`
 * from another one. Nothing here waits for the clock except `wait`, which is for demonstrations. The cost that an answer
 * reports is scripted separately from what it bills.
 */
export type Step =
  /** One delta of text, sent `times` times; counts as `tokens` (1) output tokens each time. */
  | { type: 'text'; text: string; times?: number; tokens?: number }
  | { type: 'reasoning'; text: string; tokens?: number }
  /** Reasoning that is billed and never shown. */
  | { type: 'hidden'; tokens: number }
  /** Text in the form of content parts, as some models send it. */
  | { type: 'part'; text: string; times?: number; tokens?: number }
  /** A piece of `delta.audio`. */
  | { type: 'audio'; data: string; times?: number; tokens?: number }
  /** The first delta of a call has `id` and `name`; later ones only contain pieces of `arguments`. */
  | { type: 'tool_call'; index?: number; id?: string; name?: string; arguments: string; tokens?: number }
  /** An image in OpenRouter's `delta.images`, as a data URL. */
  | { type: 'image'; url: string; tokens?: number }
  /** A web search that really ran and is billed separately; nothing of it is sent. */
  | { type: 'search' }
  /** An SSE comment such as `OPENROUTER PROCESSING`. */
  | { type: 'comment'; text: string }
  /** Any JSON as one event: what no real upstream should send. */
  | { type: 'event'; data: unknown }
  /** Bytes as they are, without framing. */
  | { type: 'raw'; text: string }
  /** An in-band `{"error": …}` on an answer whose status is already 200. */
  | { type: 'error'; error: Record<string, unknown> }
  /** Waits until the test opens the gate with that name. */
  | { type: 'gate'; name: string }
  | { type: 'wait'; milliseconds: number }
  /** Sends nothing more, ever; ends when the client leaves. */
  | { type: 'hang' }
  /** Ends the response properly but early: no finish_reason, no usage, no [DONE]. */
  | { type: 'end' }
  /** Cuts the connection. */
  | { type: 'destroy' }

/** Steps that are possible before any byte has been sent. */
type StepBeforeHeaders = Extract<Step, { type: 'gate' | 'wait' | 'hang' | 'destroy' }>

export type UsageScript =
  /** What was really sent, in the dialect's place for it (the default). */
  | { mode: 'counted' }
  | { mode: 'absent' }
  /** This value, whatever it is: null, zeros, garbage, wrong types, a cost. */
  | { mode: 'value'; value: unknown }
  /** Several usage chunks, one after the other. */
  | { mode: 'values'; values: unknown[] }
  /** True running counts in every chunk. */
  | { mode: 'cumulative' }

export interface Framing {
  lineEnd?: '\n' | '\r\n'
  /** Limits each write to this many bytes, in a packet of its own: splits events and characters anywhere. */
  bytesPerWriteMax?: number
  /** Everything in one write, at the end. */
  coalesced?: boolean
}

export interface Answer {
  /** Default 200. */
  status?: number
  headers?: Record<string, string>
  beforeHeaders?: StepBeforeHeaders[]
  /** Sent in place of a completion: error bodies, redirects, wrong content. Text as it is, otherwise as JSON. */
  body?: unknown
  steps?: Step[]
  /** Default `stop`, or `length` if max_tokens cut the answer, or `tool_calls` after a call. */
  finishReason?: string | null
  usage?: UsageScript
  /** `usage.cost` of counted usage, and `total_cost` of the generation record; `billed` reports the truth. */
  costUsd?: number | 'billed'
  /** The operator's own key at the model's vendor is billed: `cost` is only a fee, and the rest is in its details. */
  byok?: boolean
  /** The model name in the answer; null leaves it out. Default: the model that answered. */
  reportedModel?: string | null
  /** The host that a router says it has passed the request on to. */
  provider?: string
  /** The reported tokens of the prompt; the bill uses the real count. */
  promptTokens?: number
  /** Reported, and billed at the price of reading from a cache. */
  cachedTokens?: number
  framing?: Framing
  contentType?: string
  /** Speech answers with this much silence as WAV, instead of a single frame of MP3. */
  audioSeconds?: number
  /** How long the sent recording really is; by default according to its header or its size. */
  recordingSeconds?: number
  /** What is heard in a recording. */
  transcript?: string
  /** Leaves out `data: [DONE]`. */
  withoutDone?: boolean
  ignoresMaxTokens?: boolean
  /** Does not know the newer name of that, and ignores it, as DeepSeek does. */
  ignoresMaxCompletionTokens?: boolean
  /** Where a stream contains usage: in its own chunk without choices (openai), or in a last empty delta. */
  dialect?: 'openai' | 'openrouter'
  /**
   * By default a stream bills what was generated until its client left, anything else bills the whole answer, and a
   * failure before any output bills nothing. `whole` bills to the end in any case.
   */
  bills?: 'whole' | 'nothing'
}

/** One answer for all requests, or one after the other (the last repeats), or chosen by the request. */
export type AnswerSource = Answer | Answer[] | ((request: RecordedRequest) => Answer)

/** The answer of each path; a path that is not named keeps its built-in, well-behaved answer. */
export interface Script {
  chat?: AnswerSource
  models?: AnswerSource
  generation?: AnswerSource
  embeddings?: AnswerSource
  images?: AnswerSource
  speech?: AnswerSource
  transcriptions?: AnswerSource
}

/** The part of the script that a request belongs to. */
export type RouteName = keyof Script

/** How the host behaves, for all answers. */
export interface HostScript {
  /** Models that do not answer: the next of the request's `models` does. */
  downModels?: readonly string[]
  /** Routes to a provider this many times as dear as listed, if the request's `provider.max_price` allows it. */
  priceFactor?: number
  /** Has no capacity at `flex`: serves, and bills, the usual tier. */
  isBusy?: boolean
  /** Has no such endpoint, or refuses requests to it with this status. */
  nativeStatus?: number
}

export interface RecordedRequest {
  method: string
  /** With its query, relative to the base URL: `/chat/completions`. */
  path: string
  headers: Record<string, string>
  /** Parsed if it is JSON, otherwise null. */
  body: unknown
  rawBody: Buffer
  /** Milliseconds since the epoch at which the client left before the answer was complete; otherwise null. */
  abortedAt: number | null
  /** How many SSE events were passed to the socket so far. */
  sentEventCount: number
  /** Resolves when the answer is over, either way. */
  ended: Promise<'completed' | 'aborted'>
}
