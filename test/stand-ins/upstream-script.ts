/**
 * What the stand-in upstream answers, as plain data: a test can build it in process or post it to
 * `/__script` from another one. Nothing here waits for the clock but `wait` and `timed`, which are for
 * demonstrations and benchmarks. What an answer tells of its cost is scripted apart from what it bills.
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
  /** The first delta of a call has `id` and `name`; later ones carry pieces of `arguments` alone. */
  | { type: 'tool_call'; index?: number; id?: string; name?: string; arguments: string; tokens?: number }
  /** An image in OpenRouter's `delta.images`, as a data URL. */
  | { type: 'image'; url: string; tokens?: number }
  /** A web search that was really run, billed by itself; nothing of it is sent. */
  | { type: 'search' }
  /** An SSE comment such as `OPENROUTER PROCESSING`. */
  | { type: 'comment'; text: string }
  /** Any JSON as one event: what no real upstream should send. */
  | { type: 'event'; data: unknown }
  /** Bytes as they are, without framing. */
  | { type: 'raw'; text: string }
  /** An in-band `{"error": …}` on an answer whose status is already 200. */
  | { type: 'error'; error: Record<string, unknown> }
  /** Waits until the test opens the gate of that name. */
  | { type: 'gate'; name: string }
  | { type: 'wait'; milliseconds: number }
  /** Chunks on time, each with the moment it left, for benchmarks. */
  | { type: 'timed'; count: number; intervalMs: number; paddingBytes: number }
  /** Sends nothing more, ever; ends when the client leaves. */
  | { type: 'hang' }
  /** Ends the response properly but early: no finish_reason, no usage, no [DONE]. */
  | { type: 'end' }
  /** Cuts the connection. */
  | { type: 'destroy' }

/** Steps that make sense while no byte has been sent. */
type StepBeforeHeaders = Extract<Step, { type: 'gate' | 'wait' | 'hang' | 'destroy' }>

export type UsageScript =
  /** What was really sent, in the place where the dialect puts it (the default). */
  | { mode: 'counted' }
  | { mode: 'absent' }
  /** This value, whatever it is: null, zeros, garbage, wrong types, a cost. */
  | { mode: 'value'; value: unknown }
  /** One usage chunk after the other. */
  | { mode: 'values'; values: unknown[] }
  /** True running counts on every chunk. */
  | { mode: 'cumulative' }

export interface Framing {
  lineEnd?: '\n' | '\r\n'
  /** Writes of at most so many bytes, each in its own packet: splits events and characters anywhere. */
  bytesPerWriteMax?: number
  /** Everything in one write, at the end. */
  coalesced?: boolean
  /** `data:{…}` and `data:   {…}  ` in turn: both are legal. */
  oddWhitespace?: boolean
}

export interface Answer {
  /** Default 200. */
  status?: number
  headers?: Record<string, string>
  beforeHeaders?: StepBeforeHeaders[]
  /** Sent in place of a completion: error bodies, redirects, wrong content. Text as it is, else as JSON. */
  body?: unknown
  steps?: Step[]
  /** Default `stop`, or `length` when max_tokens cut the answer, or `tool_calls` after a call. */
  finishReason?: string | null
  usage?: UsageScript
  /** `usage.cost` of counted usage, and `total_cost` of the generation record; `billed` tells the truth. */
  costUsd?: number | 'billed'
  /** The operator's own key at the model's maker is billed: `cost` tells a fee, the rest stands in its details. */
  byok?: boolean
  /** The name of the model that is told; null leaves it out. Default: the one that answered. */
  toldModel?: string | null
  /** What is told of the prompt; what is billed is counted. */
  promptTokens?: number
  /** Told, and billed at the price of a cache's reading. */
  cachedTokens?: number
  framing?: Framing
  contentType?: string
  /** Speech answers with so much silence as WAV, in place of a mere frame of MP3. */
  audioSeconds?: number
  /** How long the recording that was sent really is; default: by its header or its size. */
  recordingSeconds?: number
  /** Leaves out `data: [DONE]`. */
  withoutDone?: boolean
  ignoresMaxTokens?: boolean
  /** Where usage stands in a stream: its own chunk without choices (openai), or beside a last empty delta. */
  dialect?: 'openai' | 'openrouter'
  /**
   * Default: a stream what was generated until its client left, anything else all of it, and what failed
   * before any output nothing. `whole` is billed to its end whatever becomes of it.
   */
  bills?: 'whole' | 'nothing'
}

/** One answer for all, or one after the other (the last repeats), or chosen by the request. */
export type AnswerSource = Answer | Answer[] | ((request: RecordedRequest) => Answer)

/** What each path answers; a path that is not named keeps its built-in, well-behaved answer. */
export interface Script {
  chat?: AnswerSource
  models?: AnswerSource
  generation?: AnswerSource
  embeddings?: AnswerSource
  images?: AnswerSource
  speech?: AnswerSource
  transcriptions?: AnswerSource
}

/** Which part of the script a request belongs to. */
export type RouteName = keyof Script

/** How the host behind all answers is, whatever they are. */
export interface HostScript {
  /** Models that do not answer: the next of the request's `models` does. */
  downModels?: readonly string[]
  /** Routes to a provider so many times as dear as listed, where the request's `provider.max_price` lets it. */
  priceFactor?: number
  /** Has no room at `flex`: serves, and bills, the usual tier. */
  isBusy?: boolean
  /** Has no such endpoint, or refuses what is asked there, with this status. */
  nativeStatus?: number
  /** Reads no body before this gate is open. */
  bodyGate?: string
}

export interface RecordedRequest {
  method: string
  /** With its query, below the base URL: `/chat/completions`. */
  path: string
  headers: Record<string, string>
  /** Parsed when it is JSON, else null. */
  body: unknown
  rawBody: Buffer
  /** Milliseconds since the epoch at which the client left before the answer was complete; else null. */
  abortedAt: number | null
  /** How many SSE events were handed to the socket so far. */
  sentEventCount: number
  /** Resolves when the answer is over, either way. */
  ended: Promise<'completed' | 'aborted'>
}
