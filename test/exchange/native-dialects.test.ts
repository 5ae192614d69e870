import { describe, expect, test } from '@jest/globals'
import { formatUsd } from '@/lib/money/nano'
import type { Answer } from '@/test/stand-ins/upstream-script'
import { ESTIMATED, expectNoCentLost } from './books'
import { type Caller, readText } from './caller'
import { DIALECTS } from './dialect-questions'
import { describeSite } from './site'
import { say } from './steps'

/** The host reports tokens only. */
const counted = { costUsd: undefined }
const tokens = (input: number, output: number): Answer['usage'] => ({
  mode: 'value',
  value: { prompt_tokens: input, completion_tokens: output },
})

describeSite('a request for a host that speaks its dialect', { host: 'openrouter' }, site => {
  describe.each(DIALECTS)('as $name', ({ path, question, passed, lastEvent }) => {
    const endpoint = path.slice('/v1'.length)
    const ask = (customer: Caller, fields: object) =>
      customer.post(path, { model: 'standin/dear', ...question, ...fields })
    const asked = ({ requests } = site.upstream) =>
      requests.filter(({ method }) => method === 'POST').map(({ path: to }) => to)

    test('is sent with all its fields, limited by the hold', async () => {
      const customer = await site.fund(2)
      const own = { ...passed.fields, provider: { allow_fallbacks: false, made_up: 1 }, made_up: 'costs' }
      const reply = await ask(customer, { ...own, stream: true })
      await readText(reply)
      expect(reply.status).toBe(200)
      const { body } = await site.upstream.requestTo(endpoint)
      expect(body).toMatchObject({ ...passed.sent, model: 'standin/dear', stream: true })
      expect(body).toMatchObject({
        provider: { allow_fallbacks: false, max_price: { prompt: expect.any(Number) } },
      })
      expect(JSON.stringify(body)).not.toMatch(/made_up|anna@/)
      const limit = (body as Record<string, number>)[passed.limit]
      expect(limit).toBeGreaterThan(0)
      expect(limit).toBeLessThan(900)
      expect(asked()).toEqual([endpoint])
      expectNoCentLost(await site.books())
    })

    test.each([true, false])(
      'is sent to another host if the first raises an exception, which costs nothing, stream %p',
      async stream => {
        site.upstream.setScript({ chat: { body: { detail: 'No reply' }, bills: 'nothing' } })
        const reply = await ask(await site.fund(20), { stream })
        expect([reply.status, await readText(reply)]).toEqual([200, expect.not.stringContaining('No reply')])
        expect([asked(), asked(site.second)]).toEqual([[endpoint], [endpoint]])
        const books = await site.books()
        expect(books).toMatchObject({ chargedNano: books.billedNano, lossNano: 0n })
      },
    )

    test('is answered event by event, without the operator’s cost', async () => {
      site.upstream.setScript({ chat: { steps: say(3), framing: { bytesPerWriteMax: 7 } } })
      const customer = await site.fund(20)
      const text = await readText(ask(customer, { stream: true }))
      expect(text).toContain(passed.event)
      expect(text.match(/"cost":/g)).toHaveLength(1)
      expect(text).not.toMatch(/is_byok|cost_details/)
    })

    const cacher = { ...passed.fields, model: 'standin/cacher' }
    test.each<[string, Answer, number, object?]>([
      ['counts alone', { steps: say(20), ...counted }, 0],
      ['what was read from a cache', { cachedTokens: 100, ...counted }, 0, { model: cacher.model }],
      ['what was written to one', { ...counted }, 0, cacher],
      ['no usage', { steps: say(300), usage: { mode: 'absent' }, ...counted }, ESTIMATED],
      ['nothing but zeros', { steps: say(300), usage: tokens(0, 0), ...counted }, ESTIMATED],
      ['more than is possible', { steps: say(300), usage: tokens(9e6, 9e6), ...counted }, ESTIMATED],
      ['no numbers', { steps: say(300), usage: { mode: 'value', value: 'many' }, ...counted }, ESTIMATED],
    ])(
      'is charged for its input and output when the host reports %s',
      async (_, answer, estimated, fields = {}) => {
        for (const stream of [true, false]) {
          site.upstream.setScript({ chat: answer })
          await readText(ask(await site.fund(20), { ...fields, stream }))
        }
        const books = await site.books()
        expectNoCentLost(books, { estimated })
        expect(books.chargedNano).toBeLessThanOrEqual(
          books.calls.reduce((sum, call) => sum + call.heldNano, 0n),
        )
        if (estimated === 0) expect(books.chargedNano).toBe(books.billedNano)
      },
    )

    test.each([400, 404, 405])(
      'is translated if the host answers %i, and billed once',
      async nativeStatus => {
        site.upstream.setHost({ nativeStatus })
        const text = await readText(ask(await site.fund(20), { stream: true }))
        expect(text).toContain(`event: ${lastEvent}\n`)
        expect(asked()).toEqual([endpoint, '/chat/completions'])
        const books = await site.books()
        expect(books.bills).toHaveLength(1)
        expect(books).toMatchObject({ chargedNano: books.billedNano, lossNano: 0n })
      },
    )

    test.each([500, 503])('is not sent elsewhere if the host answers %i', async nativeStatus => {
      site.upstream.setHost({ nativeStatus })
      const text = await readText(ask(await site.fund(20), { stream: true }))
      expect(text).toContain(`event: ${lastEvent}\n`)
      expect(asked()).toEqual([endpoint])
      expect(asked(site.second)).toEqual([endpoint])
      const books = await site.books()
      expect(books).toMatchObject({ chargedNano: books.billedNano, lossNano: 0n })
    })
  })

  test('is sent with free betas, and the dropped ones are reported', async () => {
    const customer = await site.fund(20)
    const messages = [{ role: 'user', content: 'Say hello.' }]
    const free = 'fine-grained-tool-streaming-2025-05-14,interleaved-thinking-2025-05-14'
    const asked = `claude-code-20250219, interleaved-thinking-2025-05-14,${free},context-1m-2025-08-07,Ä`
    const ask = (betas: string) =>
      customer.post(
        '/v1/messages',
        { model: 'standin/dear', max_tokens: 900, messages },
        { headers: { 'anthropic-beta': betas, 'anthropic-version': '2023-06-01', 'idempotency-key': 'one' } },
      )
    const reply = await ask(asked)
    expect(reply.status).toBe(200)
    expect(reply.headers.get('x-ignored-fields')).toBe(
      'anthropic-beta.claude-code-20250219, anthropic-beta.context-1m-2025-08-07, anthropic-beta._',
    )
    const { headers } = await site.upstream.requestTo('/messages')
    expect(headers).toMatchObject({ 'anthropic-beta': free, 'x-anthropic-beta': free })
    // Different options make it another question; options without any effect make no difference.
    expect([(await ask(free)).status, (await ask('')).status]).toEqual([200, 409])
    expectNoCentLost(await site.books())
  })

  test('with thousands of short items costs no more than its hold', async () => {
    site.upstream.setScript({ chat: { steps: say(5) } })
    const customer = await site.fund(20)
    const input = Array.from({ length: 4_000 }, () => ({ role: 'developer', content: 'a' }))
    const reply = await customer.post('/v1/responses', {
      model: 'standin/cacher',
      input,
      max_output_tokens: 40,
    })
    expect(reply.status).toBe(200)
    const books = await site.books()
    expectNoCentLost(books)
    expect(books).toMatchObject({ chargedNano: books.billedNano, lossNano: 0n })
  })

  test('with a hundred pictures in its instructions costs no more than its hold', async () => {
    const picture = { type: 'input_image', image_url: 'https://pictures.example/a.png' }
    const instructions = { role: 'developer', content: Array(100).fill(picture) }
    const input = [instructions, { role: 'user', content: 'Which is the best?' }]
    const customer = await site.fund(20)
    const fields = { model: 'standin/large', max_output_tokens: 40 }
    expect((await customer.post('/v1/responses', { ...fields, input })).status).toBe(200)
    const books = await site.books()
    expectNoCentLost(books)
    expect(books).toMatchObject({ chargedNano: books.billedNano, lossNano: 0n })
  })

  test('is charged for a tool call that is nested too deeply to be passed on', async () => {
    const customer = await site.fund(20)
    const nested = `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`
    const content = `[{"type":"tool_use","id":"toolu_1","name":"add","input":${nested}}]`
    const usage = '{"input_tokens":900,"output_tokens":800,"cost":0.5}'
    const body = `{"id":"msg_1","model":"standin/dear","content":${content},"usage":${usage}}`
    site.upstream.setScript({ chat: { body, contentType: 'application/json' } })
    const messages = [{ role: 'user', content: 'Nest it.' }]
    const reply = await customer.post('/v1/messages', { model: 'standin/dear', max_tokens: 900, messages })
    expect(reply.status).toBe(422)
    const { chargedNano } = await site.books()
    expect(chargedNano).toBeGreaterThan(0n)
    expect((await reply.json()).error.message).toContain(`${formatUsd(chargedNano)} USD were charged.`)
  })

  test('is not charged for a response that failed without a reason', async () => {
    const usage = { input_tokens: 900, output_tokens: 0, total_tokens: 900, cost: 0.3 }
    const body = { id: 'resp_1', object: 'response', status: 'failed', error: null, output: [], usage }
    site.upstream.setScript({ chat: { body } })
    const customer = await site.fund(20)
    const reply = await customer.post('/v1/responses', { model: 'standin/dear', input: 'Say hello.' })
    expect(reply.status).toBe(502)
    expect(await site.books()).toMatchObject({ chargedNano: 0n, lossNano: 300_000_000n })
  })
})
