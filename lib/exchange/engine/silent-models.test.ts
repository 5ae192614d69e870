import { expect, jest, test } from '@jest/globals'
import { describeOnPostgres } from '@/lib/db/testing'
import { createDatabaseReplayStore, type ReplayStore } from '@/lib/exchange/engine/replay-store'
import type { Answer } from '@/test/stand-ins/upstream-script'
import {
  ask,
  askInMessages,
  askInResponses,
  complete,
  draw,
  newResumeKey,
} from '@/test/support/exchange-calls'
import { openReader, parseEvents, readAll, textOf, usageOf } from '@/test/support/exchange-replies'
import {
  createCustomer,
  onlyUsage,
  standInSettings,
  startSite,
  waitForUsage,
} from '@/test/support/exchange-site'
import { HALF_AN_ANSWER, NO_RECORD, useStandInUpstream } from '@/test/support/stand-in-upstream'
import { EXCHANGE_LIMITS } from '../domain/exchange-limits'

const COMMENT = ': waiting for the model\n\n'
const HI: Answer = { steps: [{ type: 'text', text: 'Hi ' }], promptTokens: 10 }

describeOnPostgres('a model that is silent for long', getDatabase => {
  const upstream = useStandInUpstream(HALF_AN_ANSWER)
  const site = () => startSite({ database: getDatabase(), upstream, limits: { commentIntervalMs: 5 } })
  /** Answers once the gate is open. */
  const thinks = (answer: Answer) => {
    const { beforeHeaders = [] } = answer
    upstream.setScript({
      chat: { ...answer, beforeHeaders: [{ type: 'gate', name: 'thought' }, ...beforeHeaders] },
      generation: NO_RECORD,
    })
  }

  test('before it answers: the reader gets the headers and comments, and then the answer at its price', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    thinks(HI)
    const reply = await ask(running, customer)
    expect(reply).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/event-stream; charset=utf-8', 'x-exchange-id': expect.any(String) },
    })
    const reader = openReader(reply)
    expect(await reader.readUntil(COMMENT + COMMENT)).toBe(COMMENT + COMMENT)
    upstream.gates.open('thought')
    const stream = await reader.readToEnd()
    expect(textOf(stream)).toBe('Hi ')
    expect(usageOf(stream)).toMatchObject({ prompt_tokens: 10, completion_tokens: 1, cost: 0.000012 })
    expect(await onlyUsage(running.ledger, customer)).toMatchObject({ status: 'completed' })
  })

  test('while it answers: comments stand between the events', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const reader = openReader(await ask(running, customer))
    await reader.readUntil(`"Ho "},"logprobs":null,"finish_reason":null}]}\n\n${COMMENT}`)
    upstream.gates.open('mid')
    expect(textOf(await reader.readToEnd())).toBe('Hi Ho ')
  })

  test('and never ends: it is stopped at the longest duration, and its words are charged', async () => {
    const timers = jest.spyOn(globalThis, 'setTimeout')
    const running = startSite({ database: getDatabase(), upstream })
    const customer = await createCustomer(running.ledger, 1)
    const reader = openReader(await ask(running, customer))
    await reader.readUntil('Ho ')
    const [endAfterAll] =
      timers.mock.calls.find(([, delayMs]) => delayMs === EXCHANGE_LIMITS.exchangeDurationMsMax) ?? []
    timers.mockRestore()
    endAfterAll?.()
    expect(parseEvents(await reader.readToEnd()).at(-1)).toMatchObject({
      error: { code: 'upstream_timeout', message: expect.stringContaining('maximum duration') },
    })
    const usage = await onlyUsage(running.ledger, customer)
    expect(usage).toMatchObject({ status: 'failed', costBasis: 'local_count' })
    expect(usage.chargedNano).toBeGreaterThan(0n)
  })

  test('leaves no comment in what is kept: none is numbered, none is replayed', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const keys = { idempotencyKey: 'again', resumeKey: newResumeKey() }
    thinks(HI)
    const reader = openReader(await ask(running, customer, keys))
    await reader.readUntil(COMMENT)
    upstream.gates.open('thought')
    const answer = (await reader.readToEnd()).replaceAll(COMMENT, '')
    expect(answer).toMatch(/^id: 1\ndata: /)
    expect(await readAll(await ask(running, customer, keys))).toBe(answer)
  })

  const dialects = [
    { name: 'chat', way: ask, last: { error: { code: 'upstream_error' } } },
    { name: 'completions', way: complete, last: { error: { code: 'upstream_error' } } },
    { name: 'messages', way: askInMessages, last: { type: 'error', error: { type: 'api_error' } } },
    {
      name: 'responses',
      way: askInResponses,
      last: { type: 'response.failed', response: { error: { code: 'upstream_error' } } },
    },
  ]
  const failures: { failure: string; answer: Answer }[] = [
    { failure: 'says that it is down', answer: { status: 503, body: { error: { message: 'down' } } } },
    { failure: 'cuts the connection', answer: { beforeHeaders: [{ type: 'destroy' }] } },
    { failure: 'sends an error at once', answer: { steps: [{ type: 'error', error: { code: 502 } }] } },
    { failure: 'sends no stream', answer: { body: { choices: [] } } },
  ]
  test.each(dialects.flatMap(dialect => failures.map(failure => ({ ...dialect, ...failure }))))(
    'in $name, and then $failure: the stream ends with the error, at $0',
    async ({ way, last, answer }) => {
      const running = site()
      const customer = await createCustomer(running.ledger, 1)
      thinks(answer)
      const reply = await way(running, customer)
      expect(reply.status).toBe(200)
      upstream.gates.open('thought')
      const events = parseEvents(await readAll(reply))
      expect(events.at(-1)).toMatchObject(last)
      expect(JSON.stringify(events)).toContain('"cost":0,"balance_usd":1')
      const free = { status: 'failed', chargedNano: 0n, costBasis: 'none', estimated: false }
      expect(await onlyUsage(running.ledger, customer)).toMatchObject(free)
    },
  )

  test('and then finds the request wrong: a repetition gets the error with its own status', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    thinks({ status: 400, body: { error: { message: 'No such tool.' } } })
    const reply = await ask(running, customer, { idempotencyKey: 'again' })
    upstream.gates.open('thought')
    expect(parseEvents(await readAll(reply)).at(-1)).toMatchObject({ error: { message: 'No such tool.' } })
    expect(await ask(running, customer, { idempotencyKey: 'again' })).toMatchObject({ status: 400 })
    expect(upstream.requests.filter(({ method }) => method === 'POST')).toHaveLength(1)
  })

  test('whose reader leaves: the answer is paid for as if nothing had been sent', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    thinks(HI)
    const reader = openReader(await ask(running, customer))
    await reader.readUntil(COMMENT)
    await reader.leave()
    upstream.gates.open('thought')
    expect(await waitForUsage(running.ledger, customer)).toMatchObject({
      status: 'disconnected',
      chargedNano: 12_000n,
    })
  })

  test('whose reader has left before a stream was begun: it is read without one', async () => {
    // It ends by itself long before anybody takes it for silent.
    const limits = { commentIntervalMs: 5, drainQuietMs: 3_000, drainMsMax: 60_000 }
    const running = startSite({ database: getDatabase(), upstream, limits })
    const customer = await createCustomer(running.ledger, 1)
    const abort = new AbortController()
    thinks({ steps: [{ type: 'text', text: ' word', times: 1_000 }], promptTokens: 10 })
    const asked = ask(running, customer, { signal: abort.signal })
    await upstream.gates.reached('thought')
    abort.abort()
    await asked
    upstream.gates.open('thought')
    expect(await waitForUsage(running.ledger, customer)).toMatchObject({
      status: 'disconnected',
      outputTokenCount: 1_000,
    })
  })

  test('and has answered is not waited for while its answer is stored', async () => {
    const store = createDatabaseReplayStore({ database: getDatabase() })
    const stored = Promise.withResolvers<void>()
    const put: ReplayStore['put'] = async answer => {
      await stored.promise
      return store.put(answer)
    }
    const limits = { commentIntervalMs: 5 }
    const running = startSite({ database: getDatabase(), upstream, limits, replayStore: { ...store, put } })
    const customer = await createCustomer(running.ledger, 1)
    upstream.setScript({ chat: [HI, { ...HI, beforeHeaders: [{ type: 'gate', name: 'thought' }] }] })
    const answered = openReader(await ask(running, customer, { idempotencyKey: 'stored' }))
    await answered.readUntil('[DONE]')
    const silent = openReader(await ask(running, customer))
    await silent.readUntil(COMMENT.repeat(3))
    stored.resolve()
    expect(await answered.readToEnd()).toMatch(/data: \[DONE\]\n\n$/)
    upstream.gates.open('thought')
    await silent.readToEnd()
  })

  test('keeps its request counted until it answers', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    thinks(HI)
    const reply = await ask(running, customer)
    const { requestSent } = reply
    const first = Promise.race([requestSent?.then(() => 'sent'), upstream.gates.reached('thought')])
    expect(await first).not.toBe('sent')
    upstream.gates.open('thought')
    await requestSent
    await readAll(reply)
  })
})

describeOnPostgres('a model that is silent for long, asked for its answer in one piece', getDatabase => {
  const upstream = useStandInUpstream(HALF_AN_ANSWER)
  const second = useStandInUpstream(HALF_AN_ANSWER)
  const limits = { commentIntervalMs: 5, jsonSilenceMsMax: 5 }
  const site = () => startSite({ database: getDatabase(), upstream, limits })
  const whole = { body: { stream: false } }
  const gate = { type: 'gate', name: 'thought' } as const
  const thinks = (answer: Answer) => upstream.setScript({ chat: { ...answer, beforeHeaders: [gate] } })

  test('its JSON begins with white space, and has its price', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    thinks(HI)
    const reply = await ask(running, customer, whole)
    expect(reply).toMatchObject({
      status: 200,
      headers: {
        'content-type': 'application/json',
        'x-accel-buffering': 'no',
        'x-exchange-id': expect.any(String),
      },
    })
    const reader = openReader(reply)
    expect(await reader.readUntil('\n\n\n')).toMatch(/^\n+$/)
    upstream.gates.open('thought')
    const text = await reader.readToEnd()
    expect(text).toMatch(/^\n+\{[^\n]+\}$/)
    expect(JSON.parse(text)).toMatchObject({
      choices: [{ message: { content: 'Hi ' } }],
      usage: { cost: 0.000012, balance_usd: 0.999988 },
    })
    expect(await onlyUsage(running.ledger, customer)).toMatchObject({ status: 'completed' })
  })

  test('a picture’s, too', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    upstream.setScript({ images: { beforeHeaders: [gate] } })
    const reader = openReader(await draw(running, customer))
    await reader.readUntil('\n')
    upstream.gates.open('thought')
    expect(JSON.parse(await reader.readToEnd())).toMatchObject({
      data: [{ b64_json: expect.any(String) }],
      usage: { cost: 0.04 },
    })
  })

  test('a repetition gets it without the white space, from its first byte, with what it cost in a header', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const again = { ...whole, idempotencyKey: 'again' }
    thinks(HI)
    const first = openReader(await ask(running, customer, again))
    await first.readUntil('\n')
    // It joins the first while that waits.
    const joined = openReader(await ask(running, customer, again))
    await joined.readUntil('\n')
    upstream.gates.open('thought')
    const answer = (await first.readToEnd()).trimStart()
    expect((await joined.readToEnd()).trimStart()).toBe(answer)
    const replayed = await ask(running, customer, again)
    expect(replayed.headers).toMatchObject({ 'x-litellm-response-cost': '0.000012' })
    expect(await readAll(replayed)).toBe(answer)
    expect(upstream.requests.filter(({ method }) => method === 'POST')).toHaveLength(1)
  })

  test.each([
    { name: 'chat', way: ask, error: { error: { code: 'upstream_error' } } },
    { name: 'completions', way: complete, error: { error: { code: 'upstream_error' } } },
    { name: 'messages', way: askInMessages, error: { type: 'error', error: { type: 'api_error' } } },
    {
      name: 'responses',
      way: askInResponses,
      // As the last event of a stream has it: OpenAI's SDKs read `output` of whatever has status 200.
      error: { object: 'response', status: 'failed', output: [], error: { code: 'upstream_error' } },
    },
    { name: 'images', way: draw, error: { error: { code: 'upstream_error' } } },
  ])('in $name, and then fails: its JSON is the error, at $0', async ({ way, error }) => {
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const down: Answer = { status: 503, body: { error: { message: 'down' } }, beforeHeaders: [gate] }
    upstream.setScript({ chat: down, images: down, generation: NO_RECORD })
    const reply = await way(running, customer, whole)
    expect(reply.status).toBe(200)
    upstream.gates.open('thought')
    expect(JSON.parse(await readAll(reply))).toMatchObject(error)
    expect(await onlyUsage(running.ledger, customer)).toMatchObject({ status: 'failed', chargedNano: 0n })
  })

  test('and then finds the request wrong: a repetition gets the error with its own status', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const again = { ...whole, idempotencyKey: 'again' }
    thinks({ status: 400, body: { error: { message: 'No such tool.' } } })
    const reply = await ask(running, customer, again)
    upstream.gates.open('thought')
    expect(JSON.parse(await readAll(reply))).toMatchObject({ error: { message: 'No such tool.' } })
    expect(await ask(running, customer, again)).toMatchObject({ status: 400 })
  })

  test('whose reader leaves: no other host is asked for it', async () => {
    const running = startSite({
      database: getDatabase(),
      upstream,
      limits,
      moreUpstreams: [standInSettings(second, 'second')],
    })
    const customer = await createCustomer(running.ledger, 1)
    thinks({ status: 503, body: { error: { message: 'down' } } })
    const reader = openReader(await ask(running, customer, whole))
    await reader.readUntil('\n')
    await reader.leave()
    upstream.gates.open('thought')
    const free = { status: 'disconnected', chargedNano: 0n }
    expect(await waitForUsage(running.ledger, customer)).toMatchObject(free)
    expect(second.requests.filter(({ method }) => method === 'POST')).toEqual([])
  })

  test('whose reader can come back: it waits in silence for the status', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    thinks({ status: 503, body: { error: { message: 'down' } } })
    const resumable = ask(running, customer, { ...whole, resumeKey: newResumeKey() })
    const refused = expect(resumable).rejects.toMatchObject({ code: 'upstream_error' })
    await upstream.gates.reached('thought')
    // Asked later, and begun: so the first would have been, too.
    const other = openReader(await ask(running, customer, whole))
    await other.readUntil('\n')
    upstream.gates.open('thought')
    await refused
    await other.readToEnd()
  })
})
