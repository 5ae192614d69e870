import { createHash } from 'node:crypto'
import type { ExchangeWorld } from '@/lib/exchange/client/page-world'
import type { TestWorld } from '../support/exchange-world'
import { busyReply, errorReply } from '../support/scripted-exchange'

const KEPT_MS = 10 * 60_000

/** The server's state of one paid call. */
export interface ServedExchange {
  readonly id: string
  readonly resumeName: string
  readonly key: string
  readonly body: string
  readonly isStream: boolean
  /** The reply so far: one entry per event, or the single body. */
  readonly said: string[]
  state: 'running' | 'settling' | 'ended'
  isStopped: boolean
  isFailed: boolean
  endedAtMs: number
  /** Dollars; null until it is settled. */
  charged: number | null
}

interface Reader {
  readonly exchange: ServedExchange
  readonly notify: () => void
  readonly fail: (error: Error) => void
}

/**
 * The server's side of paid calls, in memory: one exchange per idempotency key, which continues when its reader leaves,
 * is kept for ten minutes, and is stopped on demand. Nothing happens by itself: tests make it write.
 */
export class TestExchangeServer {
  readonly exchanges: ServedExchange[] = []
  readonly requests: { method: string; path: string; headers: Headers; body: string | null }[] = []
  /** Every posted body, arrived or not, by its idempotency key. */
  readonly postedBodies = new Map<string, Set<string>>()
  isOffline = false
  /** How many requests will be lost on their way here. */
  requestLossCount = 0
  /** How many replies will be lost on their way back, although the request was carried out. */
  replyLossCount = 0
  /** Another process is writing the running answers, and this one can only say so. */
  isElsewhere = false
  /** What a model has begun cannot be undone: a stop is refused. */
  isBegun = false
  /** The exact price only comes with `settle`, after the reply to the stop. */
  settlesLater = false
  /** Streams do not contain their cost. */
  isSilent = false
  /** What its models draw. */
  picture: { b64_json: string } | { url: string } = { b64_json: 'iVBORw0KGgo=' }
  /** If set, requests are refused with this error. */
  refusal: { status: number; error: Record<string, unknown> } | null = null
  readonly #world: TestWorld
  readonly #readers = new Set<Reader>()

  constructor(world: TestWorld) {
    this.#world = world
  }

  readonly fetch: ExchangeWorld['fetch'] = async (path, init) => {
    const headers = new Headers(init.headers)
    const body = typeof init.body === 'string' ? init.body : null
    const { method = 'GET', signal = null } = init
    this.requests.push({ method, path, headers, body })
    if (method === 'POST') {
      const key = headers.get('idempotency-key') ?? ''
      this.postedBodies.set(key, (this.postedBodies.get(key) ?? new Set()).add(body ?? ''))
    }
    if (this.isOffline || signal?.aborted) throw new TypeError('Failed to fetch')
    if (this.requestLossCount > 0) {
      this.requestLossCount -= 1
      throw new TypeError('Failed to fetch')
    }
    const isLost = this.replyLossCount > 0
    if (isLost) this.replyLossCount -= 1
    const response = this.#answer(method, path, headers, body, signal)
    if (!isLost) return response
    // What it would have answered is lost.
    Promise.resolve(response).catch(() => undefined)
    throw new TypeError('Failed to fetch')
  }

  /** Adds a piece to each running answer. */
  write(text = 'word ', reasoning = ''): void {
    for (const exchange of this.#running()) {
      if (exchange.isStream) this.#say(exchange, { choices: [{ delta: { content: text, reasoning } }] })
    }
  }

  /** Ends each running answer as its model would. */
  finish(reason = 'stop'): void {
    for (const exchange of this.#running()) {
      if (exchange.isStream) this.#say(exchange, { choices: [{ delta: {}, finish_reason: reason }] })
      this.#settle(exchange)
    }
  }

  /** Makes each model fail; what it had written by then is paid for. */
  fail(): void {
    for (const exchange of this.#running()) {
      exchange.isFailed = true
      this.#settle(exchange)
    }
  }

  /** Gives stopped answers their price and their end. */
  settle(): void {
    for (const exchange of this.exchanges) if (exchange.state === 'settling') this.#settle(exchange)
  }

  /** Breaks every open connection. */
  cut(): void {
    for (const reader of [...this.#readers]) reader.fail(new TypeError('network error'))
  }

  #running(): ServedExchange[] {
    return this.exchanges.filter(({ state }) => state === 'running')
  }

  #answer(
    method: string,
    path: string,
    headers: Headers,
    body: string | null,
    signal: AbortSignal | null,
  ): Response | Promise<Response> {
    const [collection, name] = [path.split('/').slice(0, 4).join('/'), path.split('/')[4]]
    if (name === undefined) return this.#post(collection, headers, body ?? '', signal)
    const resumeName = resumeNameOf(headers)
    const exchange = this.#kept().find(
      one => one.resumeName === resumeName && (one.id === name || one.resumeName === name),
    )
    if (!exchange) return errorReply('not_found', 404)
    if (method === 'DELETE') return this.#stop(exchange)
    if (this.isElsewhere && exchange.state !== 'ended') return busyReply()
    return this.#read(exchange, Number(headers.get('last-event-id') ?? -1), signal)
  }

  #post(collection: string, headers: Headers, body: string, signal: AbortSignal | null) {
    const key = headers.get('idempotency-key') ?? ''
    const known = this.#kept().find(one => one.key === key)
    if (known && known.body !== body) return errorReply('idempotency_conflict', 409)
    if (known) return this.isElsewhere ? busyReply() : this.#read(known, -1, signal)
    if (this.refusal) return Response.json({ error: this.refusal.error }, { status: this.refusal.status })
    const exchange: ServedExchange = {
      id: `exchange-${this.exchanges.length + 1}`,
      resumeName: resumeNameOf(headers),
      key,
      body,
      isStream: collection.endsWith('/completions'),
      said: [],
      state: 'running',
      isStopped: false,
      isFailed: false,
      endedAtMs: Number.POSITIVE_INFINITY,
      charged: null,
    }
    this.exchanges.push(exchange)
    return this.#read(exchange, -1, signal)
  }

  #stop(exchange: ServedExchange): Response {
    if (exchange.state === 'ended') return errorReply('not_found', 404)
    const object = 'exchange.stopped'
    if (this.isBegun) return Response.json({ id: exchange.id, object, stopped: false })
    if (exchange.state === 'running') {
      exchange.isStopped = true
      exchange.state = 'settling'
      if (!this.settlesLater) this.#settle(exchange)
    }
    const { charged } = exchange
    const cost = charged === null ? {} : { cost: charged, balance_usd: 1 - charged }
    return Response.json({ id: exchange.id, object, stopped: true, ...cost })
  }

  /** A thousandth of a dollar per event; four cents for a picture. */
  #settle(exchange: ServedExchange): void {
    const { isStream, isStopped, isFailed, said } = exchange
    const charged = isStream ? said.length / 1000 : isStopped || isFailed ? 0 : 0.04
    const error = { code: isFailed ? 'upstream_error' : 'conflict' }
    const usage = { cost: charged, balance_usd: 1 - charged }
    exchange.charged = charged
    exchange.state = 'ended'
    exchange.endedAtMs = this.#world.nowMs
    if (isStream) {
      if (!this.isSilent)
        this.#say(exchange, { choices: [], usage: { ...usage, prompt_tokens: 1, completion_tokens: 1 } })
      this.#say(exchange, isFailed ? { error } : '[DONE]')
    } else if (isStopped || isFailed) {
      this.#say(exchange, { error })
    } else {
      this.#say(exchange, { data: [this.picture], usage: { ...usage, input_tokens: 1 } })
    }
  }

  #say(exchange: ServedExchange, data: object | '[DONE]'): void {
    exchange.said.push(typeof data === 'string' ? data : JSON.stringify(data))
    for (const { exchange: read, notify } of [...this.#readers]) if (read === exchange) notify()
  }

  #read(exchange: ServedExchange, afterEvent: number, signal: AbortSignal | null) {
    const headers = { 'x-exchange-id': exchange.id }
    if (exchange.isStream) return new Response(this.#stream(exchange, afterEvent + 1, signal), { headers })
    return new Promise<Response>((resolve, reject) => {
      this.#follow(exchange, signal, {
        onNews: () => {
          if (exchange.said[0] === undefined) return false
          const status = exchange.isStopped ? 409 : exchange.isFailed ? 502 : 200
          resolve(new Response(exchange.said[0], { headers, status }))
          return true
        },
        onFail: reject,
      })
    })
  }

  #stream(exchange: ServedExchange, from: number, signal: AbortSignal | null): ReadableStream<Uint8Array> {
    let next = from
    return new ReadableStream({
      start: controller => {
        this.#follow(exchange, signal, {
          onNews: () => {
            for (; next < exchange.said.length; next += 1) {
              controller.enqueue(new TextEncoder().encode(`id: ${next}\ndata: ${exchange.said[next]}\n\n`))
            }
            const isOver = /^(\[DONE\]|\{"error")/.test(exchange.said.at(-1) ?? '')
            if (isOver) controller.close()
            return isOver
          },
          onFail: error => controller.error(error),
        })
      },
    })
  }

  /** Sends new events until the reader has everything, leaves, or loses its connection. */
  #follow(
    exchange: ServedExchange,
    signal: AbortSignal | null,
    { onNews, onFail }: { onNews: () => boolean; onFail: (error: Error) => void },
  ): void {
    if (onNews()) return
    const leave = () => this.#readers.delete(reader)
    const fail = (error: Error) => {
      if (leave()) onFail(error)
    }
    const notify = () => {
      if (onNews()) leave()
    }
    const reader: Reader = { exchange, notify, fail }
    this.#readers.add(reader)
    signal?.addEventListener('abort', () => fail(new DOMException('aborted', 'AbortError')))
  }

  /** The exchanges that have not expired. */
  #kept(): ServedExchange[] {
    return this.exchanges.filter(({ endedAtMs }) => this.#world.nowMs - endedAtMs < KEPT_MS)
  }
}

function resumeNameOf(headers: Headers): string {
  const key = headers.get('x-resume-key') ?? ''
  return `resume-${createHash('sha256').update(key).digest('hex')}`
}
