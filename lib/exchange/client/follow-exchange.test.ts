import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { turns, until } from '@/test/support/exchange-world'
import {
  ANSWER_BYTES,
  ANSWER_TEXTS,
  answerEvents,
  answerWith,
  bodyOf,
  busyReply,
  errorReply,
  hangUntilCut,
  KIND_PATHS,
  lastEventId,
  PICTURE_BODY,
  proxyReply,
  runScripted,
  SCRIPT_RESUME_NAME,
  silentMidway,
  wholeReply,
} from '@/test/support/scripted-exchange'
import type { ExchangeKindName } from './exchange-kinds'

/** After which a connection counts as dead. */
const SILENCE_MS = { chat: 45_000, image: 420_000 }

describe.each<ExchangeKindName>(['chat', 'image'])('an exchange of kind %s', kind => {
  test('is posted once, with its keys only in headers, and learns its id', async () => {
    const { ended, calls, exchangeIds } = runScripted({ kind, read: wholeReply[kind] })
    await expect(ended).resolves.toMatchObject({ status: 'completed', error: null })
    expect(calls).toMatchObject([{ method: 'POST', path: KIND_PATHS[kind], body: '{"model":"m"}' }])
    expect(calls[0]?.headers.get('authorization')).toBe('Bearer credit')
    expect(calls[0]?.headers.get('idempotency-key')).toBe('idempotency')
    expect(calls[0]?.headers.get('x-resume-key')).toBe('resume')
    expect(exchangeIds).toEqual(['exchange-1'])
  })

  test('that the server refuses fails at once with the reason, and is not repeated', async () => {
    const error = { code: 'insufficient_credit', required_usd: '0.5', available_usd: 0.1 }
    const { ended, calls } = runScripted({ kind, read: () => Response.json({ error }, { status: 402 }) })
    await expect(ended).resolves.toMatchObject({
      status: 'failed',
      error: { code: 'insufficient_credit', requiredUsd: '0.5', availableUsd: '0.1' },
    })
    expect(calls).toHaveLength(1)
  })

  test('whose reply is lost is fetched by its name, and not posted again', async () => {
    const { ended, calls } = runScripted({
      kind,
      read: call => (call === 0 ? new TypeError('Failed to fetch') : wholeReply[kind]()),
    })
    await expect(ended).resolves.toMatchObject({ status: 'completed' })
    expect(calls.map(({ method, path }) => [method, path])).toEqual([
      ['POST', KIND_PATHS[kind]],
      ['GET', `${KIND_PATHS[kind]}/${SCRIPT_RESUME_NAME}`],
    ])
    expect(calls[1]?.headers.get('x-resume-key')).toBe('resume')
  })

  test('whose connection is lost reports that once, not with each attempt', async () => {
    const { ended, phases } = runScripted({
      kind,
      read: call => (call < 4 ? new TypeError('Failed to fetch') : wholeReply[kind]()),
    })
    await ended
    const changes = phases.filter((phase, index) => phase !== phases[index - 1])
    expect(changes).toEqual(['connecting', 'reconnecting', 'streaming'])
  })

  test('that never reached the server is posted again with the same text and key', async () => {
    const unknown = () => errorReply('not_found', 404)
    const restarting = () => errorReply('internal_error', 503, { 'retry-after': '1' })
    const replies = [
      () => new TypeError('offline'),
      unknown,
      proxyReply,
      unknown,
      restarting,
      unknown,
      wholeReply[kind],
    ]
    const { ended, calls, methods } = runScripted({ kind, read: call => replies[call]?.() ?? proxyReply() })
    await expect(ended).resolves.toMatchObject({ status: 'completed' })
    expect(methods()).toEqual(['POST', 'GET', 'POST', 'GET', 'POST', 'GET', 'POST'])
    const posts = calls.filter(({ method }) => method === 'POST')
    expect(new Set(posts.map(({ body, headers }) => `${headers.get('idempotency-key')} ${body}`)).size).toBe(
      1,
    )
  })

  test('is not given up because a proxy that has lost its server says that there is no such page', async () => {
    const noHost = () => new Response('404 page not found', { status: 404 })
    const unknown = () => errorReply('not_found', 404)
    const replies = [noHost, noHost, unknown, wholeReply[kind]]
    const { ended, methods } = runScripted({ kind, read: call => replies[call]?.() ?? proxyReply() })
    await expect(ended).resolves.toMatchObject({ status: 'completed' })
    expect(methods()).toEqual(['POST', 'GET', 'GET', 'POST'])
  })

  test('that the asked process does not know yet is posted again under its key', async () => {
    const unknown = () => errorReply('not_found', 404)
    const busy = () => errorReply('conflict', 409, { 'retry-after': '1', 'x-exchange-id': 'exchange-1' })
    const replies = [() => new TypeError('cut'), unknown, busy, unknown, busy, wholeReply[kind]]
    const { ended, calls, exchangeIds } = runScripted({ kind, read: call => replies[call]?.() ?? unknown() })
    await expect(ended).resolves.toMatchObject({ status: 'completed', error: null })
    const names = [SCRIPT_RESUME_NAME, 'exchange-1', 'exchange-1'].map(
      name => `GET ${KIND_PATHS[kind]}/${name}`,
    )
    expect(calls.map(({ method, path }) => (method === 'POST' ? method : `${method} ${path}`))).toEqual(
      names.flatMap(asked => ['POST', asked]),
    )
    expect(new Set(exchangeIds)).toEqual(new Set(['exchange-1']))
  })

  test('is not posted again once the server may have forgotten its key', async () => {
    const page = runScripted({
      kind,
      read: (call, init) => (call === 0 ? hangUntilCut(init) : errorReply('not_found', 404)),
    })
    await until(() => page.calls.length === 1)
    page.wakeAt(11 * 60_000)
    await expect(page.ended).resolves.toMatchObject({ status: 'failed', error: { code: 'rest_lost' } })
    expect(page.methods()).toEqual(['POST', 'GET'])
  })

  test('is waited for as long as another process of the server is writing its answer', async () => {
    const { ended, calls } = runScripted({
      kind,
      read: call => (call < 100 ? busyReply() : wholeReply[kind]()),
    })
    await expect(ended).resolves.toMatchObject({ status: 'completed' })
    expect(calls.filter(({ method }) => method === 'POST')).toHaveLength(1)
  })

  test('is given up after a limited number of attempts if the server stays away', async () => {
    const { ended, calls } = runScripted({ kind, read: () => new TypeError('Failed to fetch') })
    await expect(ended).resolves.toMatchObject({ status: 'failed', error: { code: 'connection_lost' } })
    expect(calls).toHaveLength(9)
  })

  test('that was answered, but is no longer stored, counts as lost and not as refused', async () => {
    const { ended } = runScripted({ kind, read: () => errorReply('conflict', 409) })
    await expect(ended).resolves.toMatchObject({ status: 'failed', error: { code: 'rest_lost' } })
  })

  test('whose upstream failed while it was offline fails with that reason', async () => {
    const { ended } = runScripted({
      kind,
      read: () => errorReply('upstream_error', 502),
      input: { isSent: true },
    })
    await expect(ended).resolves.toMatchObject({ status: 'failed', error: { code: 'upstream_error' } })
  })

  test('that is lost while the page sleeps is fetched again when it wakes', async () => {
    const page = runScripted({
      kind,
      read: (call, init) => (call === 0 ? hangUntilCut(init) : wholeReply[kind]()),
    })
    await until(() => page.calls.length === 1)
    page.wakeAt(1_000)
    expect(page.calls).toHaveLength(1)
    page.wakeAt(60_000)
    await expect(page.ended).resolves.toMatchObject({ status: 'completed' })
    expect(page.methods()).toEqual(['POST', 'GET'])
  })

  test('of whose connection nothing is heard any more is fetched by another one', async () => {
    const page = runScripted({
      kind,
      read: (call, init) => (call === 0 ? hangUntilCut(init) : wholeReply[kind]()),
    })
    await until(() => page.calls.length === 1)
    page.stayUntil(SILENCE_MS[kind] - 1_000)
    await turns(20)
    expect(page.calls).toHaveLength(1)
    page.stayUntil(SILENCE_MS[kind] + 1_000)
    await expect(page.ended).resolves.toMatchObject({ status: 'completed' })
    expect(page.methods()).toEqual(['POST', 'GET'])
  })

  test('may take its time on the way to the server', async () => {
    const prepareBody = async () => 'x'.repeat(1_000_000)
    const page = runScripted({ kind, read: (_, init) => hangUntilCut(init), input: { prepareBody } })
    await until(() => page.calls.length === 1)
    page.stayUntil(200_000)
    page.wakeAt(200_000)
    await turns(20)
    expect(page.methods()).toEqual(['POST'])
    page.stayUntil(SILENCE_MS[kind] + 300_000)
    await until(() => page.calls.length > 1)
  })

  test('picked up after a reload is fetched without a second request', async () => {
    const { ended, calls } = runScripted({
      kind,
      read: wholeReply[kind],
      input: { exchangeId: 'exchange-9', isSent: true },
    })
    await expect(ended).resolves.toMatchObject({ status: 'completed' })
    expect(calls).toMatchObject([{ method: 'GET', path: `${KIND_PATHS[kind]}/exchange-9` }])
  })

  test('picked up with a changed text is never posted', async () => {
    const { ended, methods } = runScripted({
      kind,
      read: () => errorReply('not_found', 404),
      input: { isSent: true, prepareBody: async () => null },
    })
    await expect(ended).resolves.toMatchObject({ status: 'failed', error: { code: 'rest_lost' } })
    expect(methods()).toEqual(['GET'])
  })

  test('that is stopped before its request was sent sends none, and costs nothing', async () => {
    const page = runScripted({ kind, read: wholeReply[kind] })
    page.stop()
    await expect(page.ended).resolves.toMatchObject({
      status: 'stopped',
      answer: { receipt: { cost_usd: '0' } },
    })
    expect(page.calls).toEqual([])
  })
})

describe('an answer that streams', () => {
  test('is read from the process that is writing it', async () => {
    const { ended, methods } = runScripted({
      read: call => (call > 1 ? answerWith(bodyOf([ANSWER_BYTES], 'closed')) : busyReply()),
    })
    await expect(ended).resolves.toMatchObject({
      status: 'completed',
      answer: { text: ANSWER_TEXTS.join('') },
    })
    expect(methods()).toEqual(['POST', 'GET', 'GET'])
  })

  test('fails if an error event ends it, and keeps its text', async () => {
    const events =
      'id: 0\ndata: {"choices":[{"delta":{"content":"a"}}]}\n\nid: 1\ndata: {"error":{"code":"upstream_error"}}\n\n'
    await expect(runScripted({ read: () => answerWith(events) }).ended).resolves.toMatchObject({
      status: 'failed',
      answer: { text: 'a' },
      error: { code: 'upstream_error' },
    })
  })

  test('is resumed after its last event, wherever the bytes were cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: ANSWER_BYTES.length }),
        fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 6 }),
        async (cut, sizes) => {
          const { ended, calls } = runScripted({
            read: (call, init) => {
              if (call > 0) return answerWith(answerEvents(lastEventId(init) + 1))
              const pieces: Uint8Array[] = []
              let start = 0
              for (const size of [...sizes, ANSWER_BYTES.length]) {
                const end = Math.min(cut, start + size)
                if (end > start) pieces.push(ANSWER_BYTES.slice(start, end))
                start = end
              }
              return answerWith(bodyOf(pieces, 'broken'))
            },
          })
          const { status, answer } = await ended
          expect(status).toBe('completed')
          expect(answer.text).toBe(ANSWER_TEXTS.join(''))
          expect(answer.receipt?.cost_usd).toBe('0.0001')
          expect(calls.filter(({ method }) => method === 'POST')).toHaveLength(1)
        },
      ),
      { numRuns: 200 },
    )
  })

  test('is read at the pace of the page, except its end and what has waited for long', async () => {
    const early = new TextEncoder().encode(': early\n\n')
    const waiting = new TextEncoder().encode(`: ${'waiting '.repeat(4_000)}\n\n`)
    const uses: (() => void)[] = []
    const { ended } = runScripted({
      read: () => answerWith(bodyOf([early, waiting, early, ANSWER_BYTES], 'closed')),
      readyForMore: () => new Promise(resolve => uses.push(resolve)),
    })
    for (const count of [1, 2]) {
      await turns(20)
      expect(uses).toHaveLength(count)
      uses.at(-1)?.()
    }
    await expect(ended).resolves.toMatchObject({ status: 'completed' })
    expect(uses).toHaveLength(2)
  })

  test('is read again from its beginning if its events had no numbers', async () => {
    const unnumbered = answerEvents(0).replaceAll(/id: .\n/g, '')
    const half = new TextEncoder().encode(unnumbered.slice(0, 120))
    const { ended } = runScripted({
      read: call => answerWith(call === 0 ? bodyOf([half], 'broken') : unnumbered),
    })
    await expect(ended).resolves.toMatchObject({
      status: 'completed',
      answer: { text: ANSWER_TEXTS.join('') },
    })
  })

  test.each([403, 404, 429, 502])('is resumed although a proxy answered %d meanwhile', async status => {
    const { ended } = runScripted({
      read: (call, init) => {
        if (call === 0) return answerWith(answerEvents(0).slice(0, 120))
        if (call === 1) return new Response('<html>Not our server</html>', { status })
        return answerWith(answerEvents(lastEventId(init) + 1))
      },
    })
    await expect(ended).resolves.toMatchObject({
      status: 'completed',
      answer: { text: ANSWER_TEXTS.join('') },
    })
  })

  test('whose rest is no longer stored keeps what has arrived', async () => {
    const { ended } = runScripted({
      read: call => (call === 0 ? answerWith(answerEvents(0).slice(0, 120)) : errorReply('not_found', 404)),
    })
    const { status, answer, error } = await ended
    expect([status, answer.text.startsWith('Hel'), error?.code]).toEqual(['failed', true, 'rest_lost'])
  })

  test('is given up after a limited number of attempts without progress', async () => {
    const { ended, calls } = runScripted({
      read: call => (call === 0 ? answerWith(answerEvents(0).slice(0, 60)) : new TypeError('x')),
    })
    await expect(ended).resolves.toMatchObject({ error: { code: 'connection_lost' } })
    expect(calls.length).toBeLessThan(60)
  })

  test('whose connection falls silent in the middle continues on another one', async () => {
    const page = runScripted({
      read: silentMidway,
    })
    await until(() => page.phases.includes('streaming'))
    page.stayUntil(SILENCE_MS.chat + 1_000)
    await expect(page.ended).resolves.toMatchObject({
      status: 'completed',
      answer: { text: ANSWER_TEXTS.join('') },
    })
    expect(page.phases).toContain('reconnecting')
  })

  test('that was cut off while the page slept continues when it wakes', async () => {
    const page = runScripted({
      read: silentMidway,
    })
    await until(() => page.phases.includes('streaming'))
    page.wakeAt(60_000)
    await expect(page.ended).resolves.toMatchObject({
      status: 'completed',
      answer: { text: ANSWER_TEXTS.join('') },
    })
  })
})

describe('a picture', () => {
  test('arrives with its bytes, its price and the balance', async () => {
    await expect(runScripted({ kind: 'image', read: wholeReply.image }).ended).resolves.toMatchObject({
      answer: {
        imageUrls: ['data:image/png;base64,iVBORw0KGgo='],
        receipt: {
          cost_usd: '0.04',
          input_token_count: 8,
          output_token_count: 0,
          image_count: 1,
          estimated: false,
        },
        balanceUsd: '0.96',
      },
    })
  })

  test.each([
    ['no picture', { data: [], usage: { cost: 0.04 } }],
    ['something else', { hello: 1 }],
  ])('that is %s counts as lost, and is not called free', async (_, body) => {
    const { status, error, answer } = await runScripted({ kind: 'image', read: () => Response.json(body) })
      .ended
    expect([status, error?.code]).toEqual(['failed', 'rest_lost'])
    expect(answer.receipt?.cost_usd).not.toBe('0')
  })

  test('that was cut off is fetched once more', async () => {
    const half = JSON.stringify(PICTURE_BODY).slice(0, 40)
    const { ended, methods } = runScripted({
      kind: 'image',
      read: call => (call === 0 ? answerWith(half) : wholeReply.image()),
    })
    await expect(ended).resolves.toMatchObject({ status: 'completed' })
    expect(methods()).toEqual(['POST', 'GET'])
  })
})
