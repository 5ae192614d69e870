import { createHash } from 'node:crypto'
import { describe, expect, jest, test } from '@jest/globals'
import fc from 'fast-check'
import type { Fetch } from './exchange-request'
import {
  type ExchangePhase,
  type ExchangeResult,
  type ExchangeWorld,
  runExchange,
  STOP_GRACE_MS,
} from './run-exchange'

const KEYS = { creditId: 'credit', idempotencyKey: 'idempotency', resumeKey: 'resume' }
const TEXTS = ['Hel', 'lo ', 'wörld', ' 🌍', '!']
const EVENTS = [
  ...TEXTS.map(content => JSON.stringify({ choices: [{ delta: { content } }] })),
  '{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2,"cost":0.0001,"balance_usd":0.9}}',
  '[DONE]',
]
const BYTES = new TextEncoder().encode(wire(0))

function wire(from: number) {
  return EVENTS.map((data, id) => `id: ${id}\ndata: ${data}\n\n`)
    .slice(from)
    .join('')
}

/** A body of these pieces; `broken` ends it as a lost connection does, `open` leaves it hanging. */
function stream(pieces: readonly Uint8Array[], end: 'closed' | 'broken' | 'open', signal?: AbortSignal) {
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

function answerWith(body: BodyInit | null, status = 200) {
  return new Response(body, { status, headers: { 'x-exchange-id': 'exchange-1' } })
}

function lastEventId(init: RequestInit): number {
  return Number(new Headers(init.headers).get('last-event-id') ?? -1)
}

interface Run {
  calls: { method: string; path: string; headers: Headers; body: unknown }[]
  phases: ExchangePhase[]
  wake: () => void
  setNow: (now: number) => void
  endGrace: () => void
  stop: () => void
  ended: Promise<ExchangeResult>
}

function run(
  respond: (call: number, init: RequestInit) => Response | Error,
  exchangeId: string | null = null,
): Run {
  const calls: Run['calls'] = []
  const phases: ExchangePhase[] = []
  const wakeListeners = new Set<() => void>()
  const graces: (() => void)[] = []
  let now = 0
  const fetch: Fetch = async (path, init) => {
    const method = init.method ?? 'GET'
    calls.push({ method, path, headers: new Headers(init.headers), body: init.body })
    if (method === 'DELETE') return new Response(null, { status: 204 })
    const reads = calls.filter(call => call.method !== 'DELETE').length
    const response = respond(reads - 1, init)
    if (response instanceof Error) throw response
    return response
  }
  const world: ExchangeWorld = {
    fetch,
    now: () => now,
    onWake: listener => {
      wakeListeners.add(listener)
      return () => wakeListeners.delete(listener)
    },
    // Pauses between attempts pass at once; the grace after a stop ends when the test says so.
    wait: milliseconds =>
      milliseconds === STOP_GRACE_MS ? new Promise(resolve => graces.push(resolve)) : Promise.resolve(),
  }
  const observer = {
    onExchangeId: jest.fn(),
    onAnswer: jest.fn(),
    onPhase: (phase: ExchangePhase) => phases.push(phase),
  }
  const running = runExchange({ keys: KEYS, body: '{"model":"m"}', exchangeId }, observer, world)
  return {
    calls,
    phases,
    wake: () => {
      for (const listener of wakeListeners) listener()
    },
    setNow: value => {
      now = value
    },
    endGrace: () => {
      for (const end of graces) end()
    },
    stop: running.stop,
    ended: running.ended,
  }
}

async function until(condition: () => boolean) {
  for (let turn = 0; turn < 1000 && !condition(); turn += 1) await new Promise(setImmediate)
  if (!condition()) throw new Error('the condition never came true')
}

describe('an exchange that the server refuses', () => {
  test('fails at once with the amounts of the 402, and is not repeated', async () => {
    const body =
      '{"error":{"message":"m","code":"insufficient_credit","required_usd":"0.5","available_usd":"0.1"}}'
    const { ended, calls } = run(() => answerWith(body, 402))
    await expect(ended).resolves.toMatchObject({
      status: 'failed',
      error: { code: 'insufficient_credit', requiredUsd: '0.5', availableUsd: '0.1' },
    })
    expect(calls).toHaveLength(1)
  })

  test('is read from its owner when another process of the server is writing the answer', async () => {
    const { ended, calls } = run(call => {
      if (call > 1) return answerWith(stream([BYTES], 'closed'))
      const headers = { 'x-exchange-id': 'exchange-1', 'retry-after': '1' }
      return new Response('{"error":{"message":"m","code":"conflict"}}', { status: 409, headers })
    })
    await expect(ended).resolves.toMatchObject({ status: 'completed', answer: { text: TEXTS.join('') } })
    expect(calls.map(call => call.method)).toEqual(['POST', 'GET', 'GET'])
  })

  test('is repeated, with the same key and body, when a proxy answered in its place', async () => {
    const { ended, calls } = run(call =>
      call === 0 ? new Response('<html>Bad gateway</html>', { status: 502 }) : answerWith(wire(0)),
    )
    await expect(ended).resolves.toMatchObject({ status: 'completed' })
    expect(calls.map(({ method, body }) => [method, body])).toEqual([
      ['POST', '{"model":"m"}'],
      ['POST', '{"model":"m"}'],
    ])
    expect(calls.map(({ headers }) => headers.get('idempotency-key'))).toEqual(['idempotency', 'idempotency'])
  })

  test('fails when an in-band error ends the stream, and keeps the text', async () => {
    const { ended } = run(() =>
      answerWith(
        'id: 0\ndata: {"choices":[{"delta":{"content":"a"}}]}\n\nid: 1\ndata: {"error":{"code":"upstream_error"}}\n\n',
      ),
    )
    await expect(ended).resolves.toMatchObject({
      status: 'failed',
      answer: { text: 'a' },
      error: { code: 'upstream_error' },
    })
  })
})

describe('a lost connection', () => {
  test('before any answer is retried a few times, then given up', async () => {
    const { ended, calls } = run(() => new TypeError('Failed to fetch'))
    await expect(ended).resolves.toMatchObject({ status: 'failed', error: { code: 'connection_lost' } })
    expect(calls).toHaveLength(5)
  })

  test('is resumed after the last event, wherever the bytes were cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: BYTES.length }),
        fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 6 }),
        async (cut, sizes) => {
          const { ended, calls } = run((call, init) => {
            if (call > 0) return answerWith(wire(lastEventId(init) + 1))
            const pieces: Uint8Array[] = []
            let start = 0
            for (const size of [...sizes, BYTES.length]) {
              const end = Math.min(cut, start + size)
              if (end > start) pieces.push(BYTES.slice(start, end))
              start = end
            }
            return answerWith(stream(pieces, 'broken'))
          })
          const { status, answer } = await ended
          expect(status).toBe('completed')
          expect(answer.text).toBe(TEXTS.join(''))
          expect(answer.receipt?.cost_usd).toBe('0.0001')
          expect(calls.filter(({ method }) => method === 'POST')).toHaveLength(1)
        },
      ),
      { numRuns: 200 },
    )
  })

  test('sends the same secrets with the resume, in headers alone', async () => {
    const { ended, calls } = run((call, init) =>
      call === 0 ? answerWith(wire(0).slice(0, 120)) : answerWith(wire(lastEventId(init) + 1)),
    )
    await ended
    expect(calls[1]?.path).toBe('/v1/chat/completions/exchange-1')
    expect(calls[1]?.headers.get('authorization')).toBe('Bearer credit')
    expect(calls[1]?.headers.get('x-resume-key')).toBe('resume')
  })

  test('whose rest the server no longer has keeps what arrived', async () => {
    const { ended } = run(call =>
      call === 0 ? answerWith(wire(0).slice(0, 120)) : answerWith('{"error":{"code":"not_found"}}', 404),
    )
    const { status, answer, error } = await ended
    expect([status, answer.text.startsWith('Hel'), error?.code]).toEqual(['failed', true, 'rest_lost'])
  })

  test('is given up after a bounded number of attempts without progress', async () => {
    const { ended, calls } = run(call => (call === 0 ? answerWith(wire(0).slice(0, 60)) : new TypeError('x')))
    await expect(ended).resolves.toMatchObject({ error: { code: 'connection_lost' } })
    expect(calls.length).toBeLessThan(60)
  })

  test('that goes unnoticed while the page sleeps is replaced when it wakes', async () => {
    const page = run((call, init) =>
      call === 0
        ? answerWith(stream([BYTES.slice(0, 70)], 'open', init.signal ?? undefined))
        : answerWith(wire(lastEventId(init) + 1)),
    )
    await until(() => page.phases.includes('streaming'))
    page.wake()
    expect(page.calls).toHaveLength(1)
    page.setNow(60_000)
    page.wake()
    await expect(page.ended).resolves.toMatchObject({ status: 'completed', answer: { text: TEXTS.join('') } })
  })
})

describe('after a reload', () => {
  test('the whole answer is fetched again, without a second request for it', async () => {
    const { ended, calls } = run(() => answerWith(wire(0)), 'exchange-9')
    await expect(ended).resolves.toMatchObject({ status: 'completed', answer: { text: TEXTS.join('') } })
    expect(calls.map(({ method, path }) => [method, path])).toEqual([
      ['GET', '/v1/chat/completions/exchange-9'],
    ])
  })
})

describe('a stop', () => {
  test('asks the server once and waits for what the delivered part cost', async () => {
    let send: (bytes: Uint8Array) => void = () => {}
    const page = run(() =>
      answerWith(
        new ReadableStream({
          start(controller) {
            controller.enqueue(BYTES.slice(0, 60))
            send = bytes => {
              controller.enqueue(bytes)
              controller.close()
            }
          },
        }),
      ),
    )
    await until(() => page.phases.includes('streaming'))
    page.stop()
    page.stop()
    await until(() => page.calls.length === 2)
    send(new TextEncoder().encode(`\n\n${wire(5)}`))
    const { status, answer } = await page.ended
    expect([status, answer.receipt?.cost_usd]).toEqual(['stopped', '0.0001'])
    expect(page.calls.map(({ method }) => method)).toEqual(['POST', 'DELETE'])
  })

  test('pressed before the server answered goes by the name made of the resume key', async () => {
    let answer: (response: Response) => void = () => {}
    const calls: string[] = []
    const fetch: Fetch = (path, init) => {
      calls.push(`${init.method ?? 'GET'} ${path}`)
      if (init.method === 'DELETE') return Promise.resolve(new Response(null))
      return new Promise(resolve => {
        answer = resolve
      })
    }
    const observer = { onExchangeId: () => {}, onAnswer: () => {}, onPhase: () => {} }
    const world: ExchangeWorld = {
      fetch,
      now: () => 0,
      onWake: () => () => {},
      wait: () => new Promise(() => {}),
    }
    const running = runExchange({ keys: KEYS, body: '{}', exchangeId: null }, observer, world)
    running.stop()
    await until(() => calls.length === 2)
    answer(answerWith(wire(5)))
    await expect(running.ended).resolves.toMatchObject({ status: 'stopped' })
    const hash = createHash('sha256').update('resume').digest('hex')
    expect(calls).toEqual(['POST /v1/chat/completions', `DELETE /v1/chat/completions/resume-${hash}`])
  })

  test('that came before the server knew of the exchange is repeated once it does', async () => {
    const calls: string[] = []
    let answer: (response: Response) => void = () => {}
    const fetch: Fetch = (path, init) => {
      calls.push(`${init.method ?? 'GET'} ${path.split('/').at(-1)?.slice(0, 8)}`)
      if (init.method !== 'DELETE') {
        return new Promise(resolve => {
          answer = resolve
        })
      }
      return Promise.resolve(new Response(null, { status: path.includes('resume-') ? 404 : 200 }))
    }
    const observer = { onExchangeId: () => {}, onAnswer: () => {}, onPhase: () => {} }
    const world: ExchangeWorld = {
      fetch,
      now: () => 0,
      onWake: () => () => {},
      wait: () => new Promise(() => {}),
    }
    const running = runExchange({ keys: KEYS, body: '{}', exchangeId: null }, observer, world)
    running.stop()
    await until(() => calls.length === 2)
    await new Promise(setImmediate)
    answer(answerWith(wire(5)))
    await expect(running.ended).resolves.toMatchObject({ status: 'stopped' })
    expect(calls.map(call => call.slice(0, 13))).toEqual(['POST completi', 'DELETE resume', 'DELETE exchan'])
  })

  test('ends after its grace when the server says nothing more', async () => {
    const page = run((_, init) => answerWith(stream([BYTES.slice(0, 70)], 'open', init.signal ?? undefined)))
    await until(() => page.phases.includes('streaming'))
    page.stop()
    page.endGrace()
    await expect(page.ended).resolves.toMatchObject({ status: 'stopped', error: null })
  })
})
