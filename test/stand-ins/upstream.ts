import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Exchange } from './upstream-chat'
import { createGates, deferred, type Gates } from './upstream-gates'
import { STAND_IN_MODELS } from './upstream-models'
import { playAnswer, type Routes, routeOf } from './upstream-routes'
import type { Answer, AnswerSource, RecordedRequest, Script } from './upstream-script'

export interface StandInUpstream {
  /** With the version segment: `http://127.0.0.1:PORT/v1`. */
  baseUrl: string
  /** Every request in the order of arrival. */
  requests: RecordedRequest[]
  gates: Gates
  /** Replaces the script from the next request on, and resets the gates. */
  setScript(script: Script): void
  setModels(models: readonly Record<string, unknown>[]): void
  /** The nth request (from 0) to a path such as `/chat/completions`, as soon as it has arrived. */
  requestTo(path: string, index?: number): Promise<RecordedRequest>
  close(): Promise<void>
}

export interface StandInOptions {
  models?: readonly Record<string, unknown>[]
  script?: Script
  /** 0, the default, takes any free port. */
  port?: number
  /** When given, any other bearer is refused with 401. */
  apiKey?: string
  /** Answers requests under `/__`; true when it did. */
  admin?: (request: IncomingMessage, response: ServerResponse, upstream: StandInUpstream) => Promise<boolean>
}

const BODY_BYTES_MAX = 64 * 1024 * 1024

/** An OpenAI-compatible upstream that answers exactly what its script says, over real HTTP. */
export async function startStandInUpstream(options: StandInOptions = {}): Promise<StandInUpstream> {
  const state = createState(options)
  const server = createServer((request, response) => {
    serve(request, response).catch(error => response.destroy(error))
  })

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.socket?.setNoDelay(true)
    if (request.url?.startsWith('/__') && (await options.admin?.(request, response, upstream))) return
    const exchange = await recordRequest(request, response, state.gates)
    const { method, path, headers } = exchange.request
    state.add(exchange.request)
    const route = request.url?.startsWith('/v1/') ? routeOf(method, path) : null
    if (options.apiKey !== undefined && headers.authorization !== `Bearer ${options.apiKey}`) {
      return refuse(response, 401, 'No auth credentials found')
    }
    if (route === null) return refuse(response, 404, `Unknown request: ${method} ${request.url}`)
    await playAnswer(exchange, route, state.nextAnswer(route, exchange.request), state.routes)
  }

  await new Promise<void>(resolve => server.listen(options.port ?? 0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const upstream: StandInUpstream = {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests: state.requests,
    gates: state.gates,
    setScript: state.setScript,
    setModels: state.setModels,
    requestTo: state.requestTo,
    async close() {
      state.gates.reset()
      const closed = new Promise<void>(resolve => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
  return upstream
}

function createState(options: StandInOptions) {
  const requests: RecordedRequest[] = []
  const gates = createGates()
  const arrivals = new Set<() => void>()
  let script = options.script ?? {}
  let models = options.models ?? STAND_IN_MODELS
  let answered: Partial<Record<keyof Script, number>> = {}
  let lastId = 0
  const routes: Routes = {
    models: () => models,
    generations: new Map(),
    nextId: () => {
      lastId += 1
      return `gen-standin-${lastId}`
    },
  }
  const find = (path: string, index: number) => requests.filter(request => request.path === path)[index]
  return {
    requests,
    gates,
    routes,
    add(request: RecordedRequest) {
      requests.push(request)
      for (const arrived of arrivals) arrived()
    },
    setScript(next: Script) {
      script = next
      answered = {}
      gates.reset()
    },
    setModels(next: readonly Record<string, unknown>[]) {
      models = next
    },
    nextAnswer(route: keyof Script, request: RecordedRequest): Answer {
      const position = answered[route] ?? 0
      answered[route] = position + 1
      return pick(script[route], position, request)
    },
    requestTo(path: string, index = 0): Promise<RecordedRequest> {
      const waiting = deferred<RecordedRequest>()
      const look = () => {
        const found = find(path, index)
        if (!found) return
        arrivals.delete(look)
        waiting.resolve(found)
      }
      arrivals.add(look)
      look()
      return waiting.promise
    },
  }
}

function pick(source: AnswerSource | undefined, position: number, request: RecordedRequest): Answer {
  if (source === undefined) return {}
  if (typeof source === 'function') return source(request)
  return Array.isArray(source) ? (source[Math.min(position, source.length - 1)] ?? {}) : source
}

/** Reads a request whole and watches how its answer ends. */
export async function recordRequest(
  message: IncomingMessage,
  response: ServerResponse,
  gates: Gates,
): Promise<Exchange> {
  const left = deferred()
  const ended = deferred<'completed' | 'aborted'>()
  const rawBody = await readRawBody(message)
  const request: RecordedRequest = {
    method: message.method ?? 'GET',
    path: (message.url ?? '/').replace(/^\/v1/, ''),
    headers: Object.fromEntries(
      Object.entries(message.headers).map(([name, value]) => [name, String(value)]),
    ),
    body: parseJson(rawBody),
    rawBody,
    abortedAt: null,
    sentEventCount: 0,
    ended: ended.promise,
  }
  // `close` without `finish`: the connection went away before the last byte was handed over.
  response.on('close', () => {
    if (!response.writableFinished) request.abortedAt = Date.now()
    left.resolve()
    ended.resolve(response.writableFinished ? 'completed' : 'aborted')
  })
  return { request, response, gates, gone: left.promise }
}

async function readRawBody(message: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of message) {
    bytes += piece.length
    if (bytes > BODY_BYTES_MAX) throw new Error('The request is too large for the stand-in.')
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return null
  }
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ error: { message, type: 'invalid_request_error', param: null, code: null } }))
}
