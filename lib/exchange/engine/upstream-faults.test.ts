import { expect, test } from '@jest/globals'
import { describeOnPostgres } from '@/lib/db/testing'
import type { StandInUpstream } from '@/test/stand-ins/upstream'
import type { Answer, Step } from '@/test/stand-ins/upstream-script'
import { ask, ownCount } from '@/test/support/exchange-calls'
import { parseEvents, readAll, textOf, usageOf } from '@/test/support/exchange-replies'
import { createCustomer, onlyUsage, standInSettings, startSite } from '@/test/support/exchange-site'
import { listenToLog } from '@/test/support/log-lines'
import { NO_RECORD, useStandInUpstream } from '@/test/support/stand-in-upstream'

const WORDS = ['one ', 'two ', 'three ', 'four ']
const text = (word: string): Step => ({ type: 'text', text: word })
const chatRequests = (upstream: StandInUpstream) =>
  upstream.requests.filter(({ path }) => path === '/chat/completions')

describeOnPostgres('an upstream that fails', getDatabase => {
  const first = useStandInUpstream({ generation: NO_RECORD })
  const second = useStandInUpstream({ generation: NO_RECORD })

  const alone = () => startSite({ database: getDatabase(), upstream: first })
  const both = () =>
    startSite({
      database: getDatabase(),
      upstream: first,
      moreUpstreams: [standInSettings(second, 'second')],
    })
  /** Gives up a silent upstream soon. Any other fault comes first, however busy the machine is. */
  const untilSilent = ({ type }: Step) =>
    startSite({
      database: getDatabase(),
      upstream: first,
      times: type === 'hang' ? { betweenBytesTimeoutMs: 40 } : {},
    })
  const script = (upstream: StandInUpstream, chat: Answer) =>
    upstream.setScript({ chat, generation: NO_RECORD })
  /** Before a silence all of it comes at once: on a busy machine a next event could be later than the time-out. */
  const scriptUntil = (steps: readonly Step[], fault: Step) =>
    script(first, { steps: [...steps, fault], framing: { coalesced: fault.type === 'hang' } })

  /** The upstream says itself that it did not work; a second one cannot bill the same call again. */
  const refusals: [string, Answer][] = [
    ['500', { status: 500, body: { error: { message: 'boom' } } }],
    ['503 without JSON', { status: 503, body: 'gone' }],
    ['429', { status: 429, body: { error: { message: 'slow down' } } }],
    ['401: our key', { status: 401, body: { error: { message: 'bad key' } } }],
    ['402: our credit', { status: 402, body: { error: { message: 'top up' } } }],
    ['403: our key', { status: 403, body: { error: { message: 'forbidden' } } }],
    ['404: no such model', { status: 404, body: { error: { message: 'no model' } } }],
    [
      'a redirect',
      { status: 307, headers: { location: 'http://127.0.0.1:1/steal' }, steps: [text('stolen')] },
    ],
    [
      'an error without a wrapper as its first event',
      { steps: [{ type: 'event', data: { object: 'error', code: 503, message: 'down' } }] },
    ],
    ['an error as its first event', { steps: [{ type: 'error', error: { code: 502, message: 'down' } }] }],
    ['an error in a JSON body on a 200', { body: { error: { code: 502, message: 'down' } } }],
  ]
  /** It had the whole request, and may bill it whatever became of its answer. */
  const mysteries: [string, Answer][] = [
    ['a cut connection', { beforeHeaders: [{ type: 'destroy' }] }],
    ['a gateway’s time-out', { status: 504, body: {} }],
    ['a web page', { body: '<html>', contentType: 'application/json' }],
    ['an end before the first event', { steps: [{ type: 'end' }] }],
    ['a cut before the first event', { steps: [{ type: 'destroy' }] }],
    ['an event that never ends', { steps: [{ type: 'raw', text: 'data: {' }, { type: 'destroy' }] }],
  ]

  test.each([...refusals, ...mysteries])(
    'with %s before any output: the hold is released, the call listed at $0, the answer 502',
    async (name, answer) => {
      const site = alone()
      const customer = await createCustomer(site.ledger, 1)
      script(first, answer)
      const failure = await ask(site, customer).then(readAll, error => error)
      expect(failure).toMatchObject({ code: 'upstream_error', status: 502 })
      expect(JSON.stringify(failure.toBody())).not.toMatch(/127\.0\.0\.1|upstream-secret|boom|bad key/)
      expect(await onlyUsage(site.ledger, customer)).toMatchObject({
        status: 'failed',
        errorCode: 'upstream_error',
        chargedNano: 0n,
        costBasis: 'none',
      })
      const balance = await site.ledger.getBalance({ credential: customer.credential })
      expect(balance).toMatchObject({ balanceNano: 1_000_000_000n, heldNano: 0n })
      // What nobody bills is no loss: enough of those would keep the account from any further call of the day.
      const { loss_nano: lossNano } = await getDatabase()
        .kysely.selectFrom('hold')
        .select('loss_nano')
        .where('account_id', '=', customer.accountId)
        .executeTakeFirstOrThrow()
      const mayBill = mysteries.some(([mystery]) => mystery === name)
      expect({ isLost: lossNano !== 0n, isReported: site.reports.length > 0 }).toEqual({
        isLost: mayBill,
        isReported: mayBill,
      })
    },
  )

  test.each<[string, Answer, string]>([
    ['402: our credit', { status: 402, body: { error: { message: 'top up' } } }, 'refused the request (402)'],
    ['a cut connection', { beforeHeaders: [{ type: 'destroy' }] }, '(ECONNRESET)'],
  ])('with %s: the operator reads which and why, though another answered', async (_case, answer, reason) => {
    const log = listenToLog()
    const site = both()
    const customer = await createCustomer(site.ledger, 1)
    script(first, answer)
    script(second, { steps: [text('hello')] })
    await ask(site, customer).then(readAll, error => error)
    expect(log.lines()).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        message: 'upstream failed',
        upstream: 'stand-in',
        error: expect.stringContaining(reason),
      }),
    )
    expect(log.text()).not.toMatch(/top up|upstream-secret/)
    log.stop()
  })

  test('that calls the request wrong is not in the log, nor are its words', async () => {
    const log = listenToLog()
    const site = alone()
    script(first, { status: 400, body: { error: { message: 'no tool of that name: my diary' } } })
    await ask(site, await createCustomer(site.ledger, 1)).then(readAll, error => error)
    expect(log.messages()).not.toContain('upstream failed')
    expect(log.text()).not.toContain('my diary')
    log.stop()
  })

  test.each(refusals)('with %s before any output: the next upstream is asked', async (_case, answer) => {
    const site = both()
    const customer = await createCustomer(site.ledger, 1)
    script(first, answer)
    script(second, { steps: [text('hello')] })
    expect(textOf(await readAll(await ask(site, customer)))).toBe('hello')
    expect(await onlyUsage(site.ledger, customer)).toMatchObject({
      status: 'completed',
      upstreamId: 'second',
    })
  })

  test.each([
    ['7', '7'],
    ['61', undefined],
    ['Wed, 21 Oct 2026 07:28:00 GMT', undefined],
  ])('with a Retry-After of %s: clients get %s', async (told, expected) => {
    const site = alone()
    const customer = await createCustomer(site.ledger, 1)
    script(first, {
      status: 429,
      headers: { 'retry-after': told },
      body: { error: { message: 'slow down' } },
    })
    const failure = await ask(site, customer).then(readAll, error => error)
    expect(failure).toMatchObject({ code: 'upstream_error', status: 502 })
    expect(failure.headers['retry-after']).toBe(expected)
    expect(failure.headers['x-should-retry']).toBeUndefined()
  })

  test.each(mysteries)(
    'with %s before any output: no other upstream is asked, and clients are told not to repeat',
    async (_case, answer) => {
      const site = both()
      const customer = await createCustomer(site.ledger, 1)
      script(first, answer)
      const headers = { 'x-should-retry': 'false' }
      await expect(ask(site, customer)).rejects.toMatchObject({ code: 'upstream_error', headers })
      expect(chatRequests(first)).toHaveLength(1)
      expect(chatRequests(second)).toEqual([])
    },
  )

  test.each([400, 413, 422])(
    'with a %i blames the request: its message is passed on, and no other upstream is asked',
    async status => {
      const site = both()
      const customer = await createCustomer(site.ledger, 1)
      const message = `Invalid schema for tool "f" (sent to ${first.baseUrl} with upstream-secret)`
      script(first, { status, body: { error: { message, param: 'tools[0]' } } })
      const failure = await ask(site, customer).catch(error => error)
      expect(failure).toMatchObject({ code: 'invalid_request', status, param: 'tools[0]' })
      expect(failure.message).toBe('Invalid schema for tool "f" (sent to [upstream] with [upstream])')
      expect(chatRequests(second)).toEqual([])
      expect(await onlyUsage(site.ledger, customer)).toMatchObject({ status: 'failed', chargedNano: 0n })
    },
  )

  test('with a 400 that repeats the request in the name of the field: neither the host nor its key is passed on', async () => {
    const site = both()
    const customer = await createCustomer(site.ledger, 1)
    const param = `authorization: Bearer upstream-secret, host: ${new URL(first.baseUrl).host}`
    script(first, { status: 400, body: { error: { message: 'Invalid header', param } } })
    const failure = await ask(site, customer).catch(error => error)
    expect(failure.param).toBe('authorization: Bearer [upstream], host: [upstream]')
  })

  test.each<[string, Record<string, unknown>]>([
    [
      'OpenAI',
      { code: 'context_length_exceeded', message: 'Your input exceeds the window.', param: 'messages' },
    ],
    ['llama.cpp', { code: 400, type: 'exceed_context_size_error', message: 'the request exceeds the size' }],
    ['OpenRouter', { code: 400, message: "This endpoint's maximum context length is 32000 tokens." }],
    [
      'a host behind it',
      {
        code: 400,
        message: 'Provider returned error',
        metadata: { raw: '{"code":"context_length_exceeded"}' },
      },
    ],
    ['Anthropic', { type: 'invalid_request_error', message: 'prompt is too long: 9 tokens > 8 maximum' }],
    [
      'Google',
      { code: 400, message: 'The input token count (9) exceeds the maximum number of tokens allowed (8).' },
    ],
  ])('with the words of %s for a prompt that is too long: context_length_exceeded', async (_host, error) => {
    const site = alone()
    const customer = await createCustomer(site.ledger, 1)
    script(first, { status: 400, body: { error } })
    const asked = () => ask(site, customer, { idempotencyKey: 'once' })
    await expect(asked()).rejects.toMatchObject({
      code: 'context_length_exceeded',
      status: 400,
      type: 'invalid_request_error',
      message: error.message,
    })
    expect((await asked()).status).toBe(400)
    expect(chatRequests(first)).toHaveLength(1)
  })

  test('with a 403 of a moderation: the request is to blame', async () => {
    const site = both()
    const customer = await createCustomer(site.ledger, 1)
    const error = { code: 403, message: 'Input was flagged', metadata: { reasons: ['violence'] } }
    script(first, { status: 403, body: { error } })
    await expect(ask(site, customer)).rejects.toMatchObject({ status: 403, message: 'Input was flagged' })
  })

  test('by not answering in time: 504', async () => {
    const times = { firstByteTimeoutMs: 30 }
    const site = startSite({ database: getDatabase(), upstream: first, times })
    const customer = await createCustomer(site.ledger, 1)
    script(first, { beforeHeaders: [{ type: 'hang' }] })
    const late = { code: 'upstream_timeout', status: 504, headers: { 'x-should-retry': 'false' } }
    await expect(ask(site, customer)).rejects.toMatchObject(late)
    script(first, { steps: [{ type: 'hang' }] })
    await expect(ask(site, customer)).rejects.toMatchObject(late)
  })

  const faults: [string, Step, string][] = [
    [
      'an error in the stream',
      { type: 'error', error: { code: 500, message: 'secret trouble' } },
      'upstream_error',
    ],
    [
      'an error without a wrapper',
      { type: 'event', data: { object: 'error', code: 500, message: 'secret trouble' } },
      'upstream_error',
    ],
    ['a cut', { type: 'destroy' }, 'upstream_error'],
    ['an early end', { type: 'end' }, 'upstream_error'],
    ['silence', { type: 'hang' }, 'upstream_timeout'],
  ]
  const places = faults.flatMap(([name, fault, code]) =>
    WORDS.map((_, index): [string, number, Step, string] => [name, index + 1, fault, code]),
  )

  test.each(places)(
    'with %s after event %i: the delivered part is charged',
    async (_name, count, fault, code) => {
      const site = untilSilent(fault)
      const customer = await createCustomer(site.ledger, 1)
      const delivered = WORDS.slice(0, count)
      scriptUntil(delivered.map(text), fault)
      const stream = await readAll(await ask(site, customer))
      expect(textOf(stream)).toBe(delivered.join(''))
      expect(stream).not.toContain('secret trouble')
      expect(parseEvents(stream).at(-1)).toMatchObject({ error: { code, message: expect.any(String) } })
      expect(stream).not.toContain('[DONE]')
      const usage = await onlyUsage(site.ledger, customer)
      const { outputTokenCount, chargedNano } = await ownCount(delivered.join(''))
      expect(usage).toMatchObject({
        status: 'failed',
        errorCode: code,
        costBasis: 'local_count',
        outputTokenCount,
      })
      expect(usage.chargedNano).toBe(chargedNano)
      expect(usageOf(stream)).toMatchObject({ estimated: true, cost: Number(usage.chargedNano) / 1e9 })
    },
  )

  test('after it reported a running usage: that much is charged at least', async () => {
    const site = alone()
    const customer = await createCustomer(site.ledger, 1)
    const usage = { prompt_tokens: 20, completion_tokens: 4 }
    script(first, {
      steps: [text('abc'), { type: 'event', data: { choices: [], usage } }, { type: 'destroy' }],
    })
    await readAll(await ask(site, customer))
    expect(await onlyUsage(site.ledger, customer)).toMatchObject({
      status: 'failed',
      costBasis: 'local_count',
      chargedNano: 28_000n,
    })
  })

  test.each([
    [
      'with each event',
      [{ choices: [{ index: 0, delta: { content: 'abc' } }], usage: { prompt_tokens: 20 } }],
    ],
    [
      'before it wrote',
      [{ choices: [], usage: { prompt_tokens: 20 } }, { choices: [{ index: 0, delta: { content: 'abc' } }] }],
    ],
  ])('by an early end, and reported usage %s: its answer is not complete', async (_when, events) => {
    const site = alone()
    const customer = await createCustomer(site.ledger, 1)
    const steps = events.map((data): Step => ({ type: 'event', data }))
    script(first, { steps: [...steps, { type: 'end' }] })
    const stream = await readAll(await ask(site, customer))
    expect(parseEvents(stream).at(-1)).toMatchObject({ error: { code: 'upstream_error' } })
    expect(await onlyUsage(site.ledger, customer)).toMatchObject({ status: 'failed' })
  })

  test('in the stream, and keeps a record of the call: what that says is charged', async () => {
    const site = startSite({ database: getDatabase(), upstream: first })
    const customer = await createCustomer(site.ledger, 1)
    const steps: Step[] = [text('abc'), { type: 'error', error: { code: 502, message: 'down' } }]
    first.setScript({ chat: { steps, costUsd: 0.00042 } })
    await readAll(await ask(site, customer))
    expect(await onlyUsage(site.ledger, customer)).toMatchObject({
      status: 'failed',
      costBasis: 'upstream_record',
      chargedNano: 420_000n,
    })
  })

  test('with an error after comments and a role only: nothing is charged', async () => {
    const site = alone()
    const customer = await createCustomer(site.ledger, 1)
    script(first, {
      steps: [{ type: 'comment', text: 'PROCESSING' }, text(''), { type: 'error', error: { message: 'no' } }],
    })
    const stream = await readAll(await ask(site, customer))
    expect(parseEvents(stream).at(-1)).toMatchObject({ error: { code: 'upstream_error' } })
    // It is not asked for a record of what it did not do.
    expect(first.requests.at(-1)?.path).toBe('/chat/completions')
    expect(await onlyUsage(site.ledger, customer)).toMatchObject({ status: 'failed', chargedNano: 0n })
  })

  test('with an error before any output: nothing is charged, whatever usage it reported', async () => {
    const site = alone()
    const customer = await createCustomer(site.ledger, 1)
    const usage = { prompt_tokens: 20, completion_tokens: 4, cost: 0.01 }
    script(first, {
      steps: [
        text(''),
        { type: 'event', data: { choices: [], usage } },
        { type: 'error', error: { message: 'no' } },
      ],
    })
    await readAll(await ask(site, customer))
    expect(await onlyUsage(site.ledger, customer)).toMatchObject({ status: 'failed', chargedNano: 0n })
  })

  const finish: Step = {
    type: 'event',
    data: { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  }

  test('with a cut after the finish has not completed its answer, whose usage is still to come', async () => {
    const site = alone()
    const customer = await createCustomer(site.ledger, 1)
    script(first, { steps: [text('hello'), finish, { type: 'destroy' }] })
    expect(await readAll(await ask(site, customer))).not.toContain('[DONE]')
    expect(await onlyUsage(site.ledger, customer)).toMatchObject({
      status: 'failed',
      costBasis: 'local_count',
    })
  })

  test.each([
    ['a cut', { type: 'destroy' }],
    ['silence', { type: 'hang' }],
  ] satisfies [string, Step][])(
    'with %s after the finish and the usage has completed its answer',
    async (_name, fault) => {
      const site = untilSilent(fault)
      const customer = await createCustomer(site.ledger, 1)
      const usage = { choices: [], usage: { prompt_tokens: 20, completion_tokens: 4 } }
      scriptUntil([text('hello'), finish, { type: 'event', data: usage }], fault)
      const stream = await readAll(await ask(site, customer))
      expect(stream.endsWith('data: [DONE]\n\n')).toBe(true)
      expect(await onlyUsage(site.ledger, customer)).toMatchObject({
        status: 'completed',
        costBasis: 'upstream_tokens',
        chargedNano: 28_000n,
      })
    },
  )

  test('to send [DONE] has still completed its answer', async () => {
    const site = alone()
    const customer = await createCustomer(site.ledger, 1)
    script(first, { steps: [text('hello')], withoutDone: true })
    const stream = await readAll(await ask(site, customer))
    expect(stream.endsWith('data: [DONE]\n\n')).toBe(true)
    expect(await onlyUsage(site.ledger, customer)).toMatchObject({ status: 'completed' })
  })
})
