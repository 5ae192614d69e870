import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Nano } from '@/lib/money/nano'
import { listen } from '../support/listen'
import { type Bill, billsOf, type Generation } from './upstream-bill'
import { type Exchange, sendJson } from './upstream-chat'
import { createGates, type Gates } from './upstream-gates'
import { STAND_IN_MODELS } from './upstream-models'
import { fieldsOf } from './upstream-prompt'
import { readRawBody, recordRequest } from './upstream-requests'
import { type ModelList, playAnswer, routeOf, startGeneration } from './upstream-routes'
import type { Answer, AnswerSource, HostScript, RecordedRequest, RouteName, Script } from './upstream-script'

export interface StandInUpstream {
  /** With the version segment: `http://127.0.0.1:PORT/v1`. */
  baseUrl: string
  /** All requests in order of arrival. */
  requests: RecordedRequest[]
  gates: Gates
  /** Replaces the script from the next request on, and resets the gates; the host is well behaved again. */
  setScript(script: Script): void
  setHost(host: HostScript): void
  setModels(models: ModelList): void
  /** The nth request (from 0) to a path such as `/chat/completions`, as soon as it has arrived. */
  requestTo(path: string, index?: number): Promise<RecordedRequest>
  /** The bills so far for the requests since `forget`, or for some of them, and their sum. */
  bills(isIncluded?: (request: RecordedRequest) => boolean): { bills: Bill[]; billedNano: Nano }
  /** Forgets requests and bills. */
  forget(): void
  close(): Promise<void>
}

export interface StandInOptions {
  models?: ModelList
  script?: Script
  /** The default of every answer, unless its script says otherwise. */
  manner?: Pick<Answer, 'dialect' | 'costUsd'>
  /** 0, the default, uses any free port. */
  port?: number
  /** If set, any other bearer token is refused with 401. */
  apiKey?: string
}

/** An OpenAI-compatible upstream that answers exactly what its script says, over real HTTP, and bills it. */
export async function startStandInUpstream(options: StandInOptions = {}): Promise<StandInUpstream> {
  const state = createState(options)
  const server = createServer((request, response) => {
    serve(request, response).catch(error => response.destroy(error))
  })
  // Longer than any measurement: a client must not run into a connection that is just being closed.
  server.keepAliveTimeout = 600_000

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.socket?.setNoDelay(true)
    if (request.url?.startsWith('/__')) return control(request, response, upstream, options.script ?? {})
    const exchange = await recordRequest(request, response, state.gates)
    state.add(exchange.request)
    await answer(exchange, request.url ?? '').finally(exchange.finish)
  }

  async function answer(exchange: Exchange, url: string): Promise<void> {
    const { request, response } = exchange
    const { method, path, headers } = request
    const route = /^(\/api)?\/v1\//.test(url) ? routeOf(method, path) : null
    if (options.apiKey !== undefined && headers.authorization !== `Bearer ${options.apiKey}`) {
      return refuse(response, 401, 'No auth credentials found')
    }
    const nativeStatus = state.nativeStatusOf(path)
    if (nativeStatus !== undefined) return refuse(response, nativeStatus, `Not taken here: ${path}`)
    if (route === null) return refuse(response, 404, `Unknown request: ${method} ${url}`)
    const answer = { ...options.manner, ...state.nextAnswer(route, request) }
    const generation = state.startGeneration(route, request, answer)
    if (generation === null) {
      const status = fieldsOf(request.body).provider === undefined ? 503 : 404
      return refuse(response, status, 'No endpoints found that can answer this request.')
    }
    await playAnswer(exchange, answer, generation, state)
  }

  const { port, stop } = await listen(server, options)
  const upstream: StandInUpstream = {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests: state.requests,
    gates: state.gates,
    setScript: state.setScript,
    setHost: state.setHost,
    setModels: state.setModels,
    requestTo: state.requestTo,
    bills: state.bills,
    forget: state.forget,
    async close() {
      state.gates.reset()
      await stop()
    },
  }
  return upstream
}

function createState(options: StandInOptions) {
  const requests: RecordedRequest[] = []
  const generations = new Map<string, { generation: Generation; answer: Answer }>()
  const gates = createGates()
  const arrivals = new Set<() => void>()
  let script = options.script ?? {}
  let host: HostScript = {}
  let models = options.models ?? STAND_IN_MODELS
  let answered: Partial<Record<RouteName, number>> = {}
  let lastId = 0
  const find = (path: string, index: number) => requests.filter(request => request.path === path)[index]
  return {
    requests,
    gates,
    generations,
    get models() {
      return models
    },
    nativeStatusOf: (path: string) =>
      path === '/messages' || path === '/responses' ? host.nativeStatus : undefined,
    add(request: RecordedRequest) {
      requests.push(request)
      for (const arrived of arrivals) arrived()
    },
    forget() {
      requests.length = 0
      generations.clear()
    },
    setScript(next: Script) {
      script = next
      host = {}
      answered = {}
      gates.reset()
    },
    setHost(next: HostScript) {
      host = next
    },
    setModels(next: ModelList) {
      models = next
    },
    nextAnswer(route: RouteName, request: RecordedRequest): Answer {
      const position = answered[route] ?? 0
      answered[route] = position + 1
      return pick(script[route], position, request)
    },
    startGeneration(route: RouteName, request: RecordedRequest, answer: Answer): Generation | null {
      lastId += 1
      const generation = startGeneration({ id: `gen-standin-${lastId}`, route, request, models, host })
      if (generation) generations.set(generation.id, { generation, answer })
      return generation
    },
    bills(isIncluded: (request: RecordedRequest) => boolean = () => true) {
      const made = Array.from(generations.values(), ({ generation }) => generation)
      return billsOf(made.filter(({ request }) => isIncluded(request)))
    },
    requestTo(path: string, index = 0): Promise<RecordedRequest> {
      const waiting = Promise.withResolvers<RecordedRequest>()
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

/**
 * For tests in other processes:
 * - `POST /__script` sets the script (JSON); an empty object restores the initial one
 * - `POST /__host` sets the host's behaviour; `POST /__models` its models
 * - `POST /__gates/NAME` opens a gate; `GET /__gates/NAME` answers when an answer has reached it
 * - `GET /__requests` lists the requests so far, `GET /__bills` their cost; `DELETE` of either forgets both
 */
async function control(
  request: IncomingMessage,
  response: ServerResponse,
  upstream: StandInUpstream,
  firstScript: Script,
): Promise<void> {
  const [path = '', name = ''] = (request.url ?? '').slice('/__'.length).split('/')
  const readJson = async () => JSON.parse((await readRawBody(request)).toString('utf8') || '{}')
  switch (`${request.method} ${path}`) {
    case 'POST script': {
      const script = await readJson()
      upstream.setScript(Object.keys(script).length === 0 ? firstScript : script)
      break
    }
    case 'POST host':
      upstream.setHost(await readJson())
      break
    case 'POST models':
      upstream.setModels(await readJson())
      break
    case 'POST gates':
      upstream.gates.open(name)
      break
    case 'GET gates':
      await upstream.gates.reached(name)
      break
    case 'DELETE requests':
    case 'DELETE bills':
      upstream.forget()
      break
    case 'GET requests':
      return sendJson(
        response,
        {},
        upstream.requests.map(({ rawBody, ended, ...rest }) => rest),
      )
    case 'GET bills': {
      const { bills, billedNano } = upstream.bills()
      return sendJson(response, {}, { bills, billed_nano: String(billedNano) })
    }
    default:
      return refuse(response, 404, 'There is no such control.')
  }
  sendJson(response, {}, { ok: true })
}

function refuse(response: ServerResponse, status: number, message: string): void {
  sendJson(
    response,
    { status },
    { error: { message, type: 'invalid_request_error', param: null, code: null } },
  )
}
