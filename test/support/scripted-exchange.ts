import { createHash } from 'node:crypto'
import { EXCHANGE_KINDS, type ExchangeKindName } from '@/lib/exchange/client/exchange-kinds'
import { type ExchangeInput, type ExchangePhase, followExchange } from '@/lib/exchange/client/follow-exchange'
import type { ExchangeWorld } from '@/lib/exchange/client/page-world'
import { STOP_GRACE_MS } from '@/lib/exchange/client/stop-exchange'

const KEYS = { creditId: 'credit', mostUsd: null, idempotencyKey: 'idempotency', resumeKey: 'resume' }
export const SCRIPT_RESUME_NAME = `resume-${createHash('sha256').update('resume').digest('hex')}`
export const ANSWER_TEXTS = ['Hel', 'lo ', 'wörld', ' 🌍', '!']
const EVENTS = [
  ...ANSWER_TEXTS.map(content => JSON.stringify({ choices: [{ delta: { content } }] })),
  '{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2,"cost":0.0001,"balance_usd":0.9}}',
  '[DONE]',
]
export const ANSWER_BYTES = new TextEncoder().encode(answerEvents(0))
export const PICTURE_BODY = {
  created: 1,
  data: [{ b64_json: 'iVBORw0KGgo=' }],
  usage: { cost: 0.04, balance_usd: 0.96, input_tokens: 8, output_tokens: 0 },
}
export const KIND_PATHS = { chat: '/v1/chat/completions', image: '/v1/images/generations' }

export function answerEvents(from: number) {
  return EVENTS.map((data, id) => `id: ${id}\ndata: ${data}\n\n`)
    .slice(from)
    .join('')
}

/** A body with these pieces; `broken` ends it like a lost connection, `open` leaves it hanging. */
export function bodyOf(
  pieces: readonly Uint8Array[],
  end: 'closed' | 'broken' | 'open',
  signal?: AbortSignal | null,
) {
  return new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece)
      if (end === 'closed') controller.close()
      signal?.addEventListener('abort', () => controller.error(new DOMException('aborted', 'AbortError')))
    },
    pull(controller) {
      if (end === 'broken') controller.error(new TypeError('network error'))
    },
  })
}

export function answerWith(body: BodyInit | null, status = 200) {
  return new Response(body, { status, headers: { 'x-exchange-id': 'exchange-1' } })
}

export const wholeReply = {
  chat: () => answerWith(answerEvents(0)),
  image: () => answerWith(JSON.stringify(PICTURE_BODY)),
}
export const errorReply = (code: string, status: number, headers: Record<string, string> = {}) =>
  Response.json({ error: { code, message: '' } }, { status, headers })
export const busyReply = () => errorReply('conflict', 409, { 'retry-after': '1' })
export const proxyReply = () => new Response('<html>Bad gateway</html>', { status: 502 })

/** Hangs until it is aborted. */
export function hangUntilCut(init: RequestInit): Promise<Response> {
  return new Promise((_, reject) => {
    init.signal?.addEventListener('abort', () => reject(new DOMException('cut', 'AbortError')))
  })
}

export function lastEventId(init: RequestInit): number {
  return Number(new Headers(init.headers).get('last-event-id') ?? -1)
}

interface Call {
  method: string
  path: string
  headers: Headers
  body: unknown
}

/** The longest pause between two attempts. */
const PAUSE_MS_MAX = 15_000

export type ScriptedReply = (call: number, init: RequestInit) => Response | Error | Promise<Response>

/** An answer whose connection falls silent in its middle, and which can be resumed. */
export const silentMidway: ScriptedReply = (call, init) =>
  answerWith(
    call === 0
      ? bodyOf([ANSWER_BYTES.slice(0, 70)], 'open', init.signal)
      : answerEvents(lastEventId(init) + 1),
  )

interface Script {
  kind?: ExchangeKindName
  /** Answers posts and resumes, counted together. */
  read: ScriptedReply
  /** Answers stops. */
  stop?: ScriptedReply
  input?: Partial<ExchangeInput>
  readyForMore?: ExchangeWorld['readyForMore']
}

export function runScripted({
  kind = 'chat',
  read,
  stop = () => errorReply('not_found', 404),
  input,
  readyForMore = async () => {},
}: Script) {
  const calls: Call[] = []
  const phases: ExchangePhase[] = []
  const exchangeIds: string[] = []
  const wakeListeners = new Set<() => void>()
  const graces: (() => void)[] = []
  const silences = new Set<() => void>()
  let nowMs = 0
  const world: ExchangeWorld = {
    async fetch(path, init) {
      const { method = 'GET', body } = init
      calls.push({ method, path, headers: new Headers(init.headers), body })
      const isStop = method === 'DELETE'
      const number = calls.filter(call => (call.method === 'DELETE') === isStop).length - 1
      const response = await (isStop ? stop : read)(number, init)
      if (response instanceof Error) throw response
      return response
    },
    now: () => nowMs,
    isOnline: () => true,
    readyForMore,
    giveWay: async () => {},
    onWake: listener => {
      wakeListeners.add(listener)
      return () => wakeListeners.delete(listener)
    },
    onOffline: () => () => {},
    // Pauses between attempts pass at once; the grace period after a stop, and a silence, end when the test says so.
    wait: (milliseconds, signal) =>
      new Promise(resolve => {
        signal.addEventListener('abort', () => resolve())
        if (milliseconds === STOP_GRACE_MS) graces.push(resolve)
        else if (milliseconds > PAUSE_MS_MAX) silences.add(resolve)
        else setImmediate(resolve)
      }),
  }
  const running = followExchange(
    {
      kind: EXCHANGE_KINDS[kind],
      keys: KEYS,
      prepareBody: async () => '{"model":"m"}',
      exchangeId: null,
      isSent: false,
      isStopped: false,
      startedAtMs: 0,
      ...input,
    },
    { onExchangeId: id => exchangeIds.push(id), onAnswer: () => {}, onPhase: phase => phases.push(phase) },
    world,
  )
  return {
    calls,
    phases,
    exchangeIds,
    methods: () => calls.map(({ method }) => method),
    wakeAt: (atMs: number) => {
      nowMs = atMs
      for (const listener of wakeListeners) listener()
    },
    stayUntil: (atMs: number) => {
      nowMs = atMs
      for (const end of silences) end()
    },
    endGrace: () => {
      for (const end of graces) end()
    },
    stop: running.stop,
    ended: running.ended,
  }
}
