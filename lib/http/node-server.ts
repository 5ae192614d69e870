import 'server-only'
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { DirectResponse, type PushedBody, READ_AHEAD_BYTES_MAX } from './direct-response'
import type { ObservedHandler } from './handle-api'
import type { ObservedAnswer } from './observe-request'

/** Handlers read the path and the query of a URL; an invalid Host header must not make it unparsable. */
const ORIGIN = 'http://localhost'
/** A body that fits into one packet anyway gains nothing from compression. */
const GZIPPED_BYTES_MIN = 1_400
const GZIPPED_TYPE = /^(application\/json|text\/plain)\b/

/** A reader that takes nothing for this long is gone, even if its connection is not. */
export const READER_STALL_TIMEOUT_MS = 120_000

const gzipAsync = promisify(gzip)

/** Bodies that are sent again and again, such as the list of all models, are compressed once. */
const gzipCache = new WeakMap<Uint8Array, Promise<Uint8Array>>()

/**
 * Serves a handler of web requests and responses on Node's own HTTP server.
 * @param given default headers, which an answer can override
 */
export function nodeListener(
  answer: ObservedHandler,
  given: (message: IncomingMessage) => OutgoingHttpHeaders,
  stallTimeoutMs = READER_STALL_TIMEOUT_MS,
) {
  return (message: IncomingMessage, response: ServerResponse): void => {
    const request = new NodeRequest(message, response) as unknown as Request
    answer(request)
      .then(observed => write(observed, message, response, { given: given(message), stallTimeoutMs }))
      .catch(error => response.destroy(error))
  }
}

/**
 * The part of `Request` that handlers use, made lazily: constructing the platform's own takes longer than most of our
 * answers.
 */
class NodeRequest implements Pick<Request, 'method' | 'url' | 'headers' | 'signal'> {
  readonly method: string
  readonly url: string
  readonly headers: Headers
  readonly #message: IncomingMessage
  readonly #response: ServerResponse
  #body: { getReader(): MessageReader } | null | undefined
  #signal: AbortSignal | undefined

  constructor(message: IncomingMessage, response: ServerResponse) {
    this.#message = message
    this.#response = response
    this.method = message.method ?? 'GET'
    this.url = ORIGIN + message.url
    this.headers = headersOf(message)
  }

  get body() {
    if (this.#body === undefined) {
      const reader = hasBody(this.#message) ? new MessageReader(this.#message) : null
      this.#body = reader && { getReader: () => reader }
    }
    return this.#body
  }

  /** Aborted when the client leaves before it has the whole answer. */
  get signal() {
    this.#signal ??= signalOf(this.#response)
    return this.#signal
  }
}

function headersOf({ headers: sent }: IncomingMessage): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(sent)) if (value !== undefined) headers.set(name, String(value))
  return headers
}

function hasBody({ method, headers }: IncomingMessage): boolean {
  if (method === 'GET' || method === 'HEAD') return false
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** The part of a stream's reader that `receiveBody` uses; the platform's own takes longer than most bodies. */
class MessageReader {
  readonly #message: IncomingMessage
  readonly #pieces: Buffer<ArrayBuffer>[] = []
  #end: { error: Error | null } | null = null
  #answer: (() => void) | null = null

  constructor(message: IncomingMessage) {
    this.#message = message
    message.on('data', (piece: Buffer<ArrayBuffer>) => {
      this.#pieces.push(piece)
      message.pause()
      this.#answer?.()
    })
    message.on('end', () => this.#over(null))
    message.on('error', error => this.#over(error))
    message.on('close', () => this.#breakOff())
    message.pause()
    // The client has left already, so no further event will be emitted.
    if (message.destroyed) this.#breakOff()
  }

  read(): Promise<{ done: false; value: Uint8Array<ArrayBuffer> } | { done: true; value: undefined }> {
    return new Promise((resolve, reject) => {
      this.#answer = () => {
        const piece = this.#pieces.shift()
        if (!piece && !this.#end) return void this.#message.resume()
        this.#answer = null
        if (piece) resolve({ done: false, value: piece })
        else if (this.#end?.error) reject(this.#end.error)
        else resolve({ done: true, value: undefined })
      }
      this.#answer()
    })
  }

  cancel(): void {
    this.#message.destroy()
  }

  /** Every message closes; the error, which is slow to construct, is made only if it had not ended. */
  #breakOff(): void {
    if (!this.#end) this.#over(new Error('The request broke off.'))
  }

  #over(error: Error | null): void {
    this.#end ??= { error }
    this.#answer?.()
  }
}

function signalOf(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  if (response.destroyed) gone.abort()
  response.once('close', () => {
    if (!response.writableFinished) gone.abort()
  })
  return gone.signal
}

async function write(
  { response: answer, recordEnd }: ObservedAnswer,
  message: IncomingMessage,
  response: ServerResponse,
  { given, stallTimeoutMs }: { given: OutgoingHttpHeaders; stallTimeoutMs: number },
): Promise<void> {
  const head: OutgoingHttpHeaders = { ...given, ...Object.fromEntries(answer.headers) }
  const cookies = answer.headers.getSetCookie()
  if (cookies.length > 0) head['set-cookie'] = cookies
  const isGzippable = GZIPPED_TYPE.test(String(head['content-type']))
  const vary = answer.headers.get('vary') ?? ''
  if (isGzippable && !/\baccept-encoding\b/i.test(vary)) {
    head.vary = vary === '' ? 'accept-encoding' : `accept-encoding, ${vary}`
  }
  const source = answer instanceof DirectResponse ? answer.source : null
  if (message.method === 'HEAD' || (source === null && answer.body === null)) {
    // Without a reader its source would wait for ever.
    void answer.body?.cancel()
    response.writeHead(answer.status, head).end()
    recordEnd(0)
  } else if (source !== null && 'writeTo' in source) {
    response.writeHead(answer.status, head)
    writePushed(source, recordEnd, response, stallTimeoutMs)
  } else {
    const whole = source ?? Buffer.from(await answer.arrayBuffer())
    const bytes = isGzippable ? await gzipped(whole, message, head) : whole
    response.writeHead(answer.status, { ...head, 'content-length': bytes.byteLength })
    response.setTimeout(stallTimeoutMs).end(bytes)
    recordEnd(bytes.byteLength)
  }
}

/** Compresses the body if the client accepts that, and adds the header. */
async function gzipped(
  bytes: Uint8Array,
  { headers }: IncomingMessage,
  head: OutgoingHttpHeaders,
): Promise<Uint8Array> {
  const isAccepted = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(String(headers['accept-encoding'] ?? ''))
  if (!isAccepted || bytes.byteLength < GZIPPED_BYTES_MIN) return bytes
  head['content-encoding'] = 'gzip'
  const gzipping = gzipCache.get(bytes) ?? gzipAsync(bytes)
  gzipCache.set(bytes, gzipping)
  return gzipping
}

/**
 * Writes a pushed body. Pieces that arrive in one turn of the event loop, such as all that one packet of an upstream
 * held, are written as one, since each would take three entries in the system call's list. The source is paused while
 * the socket's buffer is full, or enough has arrived in this turn.
 */
function writePushed(
  source: PushedBody,
  recordEnd: ObservedAnswer['recordEnd'],
  response: ServerResponse,
  stallTimeoutMs: number,
): void {
  let byteCount = 0
  let isOver = false
  let waiting: Uint8Array[] = []
  let waitingByteCount = 0
  const flush = () => {
    const [first, ...more] = waiting
    waiting = []
    waitingByteCount = 0
    if (!first || response.destroyed) return
    const hasRoom = response.write(more.length === 0 ? first : Buffer.concat([first, ...more]))
    if (!hasRoom) response.setTimeout(stallTimeoutMs)
  }
  const flushAndGoOn = () => {
    const isPaused = waitingByteCount >= READ_AHEAD_BYTES_MAX
    flush()
    if (isPaused && !response.writableNeedDrain) reading.ready()
  }
  const over = (act: () => void, aborted?: true) => {
    if (isOver) return
    isOver = true
    recordEnd(byteCount, aborted)
    act()
  }
  const reading = source.writeTo({
    write(bytes) {
      byteCount += bytes.byteLength
      if (waiting.length === 0) process.nextTick(flushAndGoOn)
      waiting.push(bytes)
      waitingByteCount += bytes.byteLength
      return !response.writableNeedDrain && waitingByteCount < READ_AHEAD_BYTES_MAX
    },
    end() {
      flush()
      over(() => response.setTimeout(stallTimeoutMs).end())
    },
    // Cut off, so that no client takes it for complete.
    fail: () => over(() => response.destroy(), true),
  })
  const leave = () => over(reading.gone, true)
  response.on('drain', () => {
    // From here on we are waiting for the source, not for the reader.
    response.setTimeout(0)
    reading.ready()
  })
  response.once('close', leave)
  if (response.destroyed) leave()
}
