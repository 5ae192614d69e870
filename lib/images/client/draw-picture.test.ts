import { beforeEach, describe, expect, jest, test } from '@jest/globals'
import { drawPicture } from './draw-picture'

const INPUT = { creditId: 'credit', idempotencyKey: 'key', body: '{"prompt":"A coin"}' }
const ANSWER = {
  created: 1,
  data: [{ b64_json: 'iVBORw0KGgo=' }],
  usage: { cost: 0.04, balance_usd: 0.96, input_tokens: 8, output_tokens: 0 },
}

type Reply = (init: RequestInit) => Promise<Response>

const answered = (body: unknown, status = 200, headers: Record<string, string> = {}): Reply => {
  return async () => Response.json(body, { status, headers: { 'x-exchange-id': 'exchange', ...headers } })
}
const busy = answered({ error: { code: 'conflict' } }, 409, { 'retry-after': '1' })
const broken: Reply = async () => {
  throw new TypeError('Failed to fetch')
}
/** Hangs until it is cut. */
const hanging: Reply = init =>
  new Promise((_, reject) => {
    init.signal?.addEventListener('abort', () => reject(new DOMException('cut', 'AbortError')))
  })

let now = 0
let wake = () => {}
beforeEach(() => {
  now = 0
})

/** Replies one after the other, to the requests and to the stops; the last one repeats. */
function draw(posts: Reply[], stops: Reply[] = []) {
  const requests: RequestInit[] = []
  const phases: string[] = []
  const onExchangeId = jest.fn()
  const next = (replies: Reply[]) => (replies.length > 1 ? replies.shift() : replies[0])
  const world = {
    fetch: (_: string, init: RequestInit) => {
      requests.push(init)
      const reply = next(init.method === 'DELETE' ? stops : posts)
      return reply ? reply(init) : Promise.reject(new Error('not scripted'))
    },
    // The grace after a stop never runs out by itself here; pauses are over at once.
    wait: (milliseconds: number, signal: AbortSignal) =>
      milliseconds === 10_000
        ? new Promise<void>(resolve => signal.addEventListener('abort', () => resolve()))
        : Promise.resolve(),
    onWake: (listener: () => void) => {
      wake = listener
      return () => {}
    },
    now: () => now,
  }
  const observer = { onExchangeId, onPhase: (phase: string) => phases.push(phase) }
  return { running: drawPicture(INPUT, observer, world), requests, phases, onExchangeId }
}

describe('a picture', () => {
  test('is not asked for again once the server has refused it', async () => {
    const refusal = { error: { code: 'insufficient_credit', message: 'Too little' } }
    const { running, requests } = draw([answered(refusal, 402)])
    expect(await running.ended).toEqual({ outcome: 'refused', body: refusal })
    expect(requests).toHaveLength(1)
  })

  test.each([
    ['no picture', { data: [] }],
    ['something else', { hello: 1 }],
  ])('that is %s is a refusal', async (_, body) => {
    expect(await draw([answered(body)]).running.ended).toMatchObject({ outcome: 'refused' })
  })

  test('comes with its price, and with the id of its exchange', async () => {
    const { running, onExchangeId } = draw([answered(ANSWER)])
    expect(await running.ended).toEqual({
      outcome: 'drawn',
      drawing: {
        pictureUrls: ['data:image/png;base64,iVBORw0KGgo='],
        costUsd: '0.04',
        balanceUsd: '0.96',
        inputTokenCount: 8,
        outputTokenCount: 0,
        estimated: false,
      },
    })
    expect(onExchangeId).toHaveBeenCalledWith('exchange')
  })

  test('is asked for with the same key and the same words until it is there', async () => {
    const proxy: Reply = async () => new Response('Bad gateway', { status: 502 })
    const restarting = answered({ error: { code: 'internal_error' } }, 503)
    const { running, requests } = draw([broken, proxy, restarting, busy, busy, answered(ANSWER)])
    expect(await running.ended).toMatchObject({ outcome: 'drawn' })
    expect(requests).toHaveLength(6)
    for (const { headers, body } of requests) {
      expect(headers).toMatchObject({ authorization: 'Bearer credit', 'idempotency-key': 'key' })
      expect(body).toBe(INPUT.body)
    }
  })

  test('is given up when the server stays away', async () => {
    const { running, requests } = draw([broken])
    expect(await running.ended).toEqual({ outcome: 'lost' })
    expect(requests).toHaveLength(9)
  })

  test('is asked for anew when a page wakes over a silent connection', async () => {
    const { running, requests } = draw([hanging, answered(ANSWER)])
    now = 1_000
    wake()
    expect(requests).toHaveLength(1)
    now = 60_000
    wake()
    expect(await running.ended).toMatchObject({ outcome: 'drawn' })
    expect(requests).toHaveLength(2)
  })
})

describe('a stop', () => {
  test('ends the request once the server has confirmed it', async () => {
    const { running, requests, phases } = draw([hanging], [answered({ stopped: true, cost: 0 })])
    running.stop()
    running.stop()
    expect(await running.ended).toEqual({ outcome: 'stopped', confirmed: true })
    expect(requests.map(({ method }) => method)).toEqual(['POST', 'DELETE'])
    expect(phases.at(-1)).toBe('stopping')
  })

  test('is asked for again while the server does not know of the request yet', async () => {
    const unknown = answered({ error: { code: 'not_found' } }, 404)
    const { running, requests } = draw([hanging], [unknown, broken, answered({ stopped: true })])
    running.stop()
    expect(await running.ended).toMatchObject({ confirmed: true })
    expect(requests.filter(({ method }) => method === 'DELETE')).toHaveLength(3)
  })

  test('that came too late leaves the picture that was paid for', async () => {
    const arrival = Promise.withResolvers<Response>()
    const { running } = draw([() => arrival.promise], [answered({ stopped: false, cost: 0.04 })])
    running.stop()
    arrival.resolve(Response.json(ANSWER))
    expect(await running.ended).toMatchObject({ outcome: 'drawn' })
  })

  test('is over when the server says so to the request itself', async () => {
    const arrival = Promise.withResolvers<Response>()
    const { running } = draw([() => arrival.promise], [broken])
    running.stop()
    arrival.resolve(Response.json({ error: { code: 'conflict' } }, { status: 409 }))
    expect(await running.ended).toEqual({ outcome: 'stopped', confirmed: true })
  })
})
