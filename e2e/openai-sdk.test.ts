import { describe, expect, test } from '@jest/globals'
import OpenAI from 'openai'
import type { Kind } from '@/lib/exchange/engine/kind'
import { ask, transcribe } from '@/test/support/exchange-calls'
import { readAll } from '@/test/support/exchange-replies'
import { createCustomer } from '@/test/support/exchange-site'
import { useSdkSite } from '@/test/support/sdk-site'

const question = { model: 'standin/small', messages: [{ role: 'user' as const, content: 'Say hello.' }] }
const PIXEL = 'data:image/png;base64,iVBORw0KGgo='

describe('the unmodified openai package', () => {
  const served = useSdkSite()
  const { apiKey, creditId } = served
  const client = (secret = apiKey) =>
    new OpenAI({ apiKey: secret, baseURL: `${served.url}/v1`, maxRetries: 0 })

  test.each([
    ['an API key', () => apiKey],
    ['a credit_id', () => creditId],
  ])('chats with %s, and the response has its cost', async (_kind, secret) => {
    const { data, request_id } = await client(secret()).chat.completions.create(question).withResponse()
    expect(data.choices[0]?.message.content).toBe('Hello.')
    expect(data.usage).toMatchObject({ cost: expect.any(Number), balance_usd: expect.any(Number) })
    expect(request_id).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('streams an answer with the usage in the last chunk', async () => {
    served.upstream.setScript({
      chat: { steps: [{ type: 'text', text: 'Hi ', times: 3 }], promptTokens: 10 },
    })
    const stream = await client().chat.completions.create({ ...question, stream: true })
    let text = ''
    let usage: unknown = null
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? ''
      usage = chunk.usage ?? usage
    }
    expect(text).toBe('Hi Hi Hi ')
    expect(usage).toMatchObject({ prompt_tokens: 10, completion_tokens: 3, cost: 0.000016 })
  })

  test('calls tools while streaming with the SDK’s helper', async () => {
    served.upstream.setScript({
      chat: {
        steps: [
          { type: 'tool_call', id: 'call_1', name: 'add', arguments: '{"a":' },
          { type: 'tool_call', arguments: '1}' },
        ],
      },
    })
    const tools = [{ type: 'function' as const, function: { name: 'add', parameters: { type: 'object' } } }]
    const runner = client().chat.completions.stream({ ...question, tools })
    const completion = await runner.finalChatCompletion()
    expect(completion.choices[0]?.message.tool_calls?.[0]).toMatchObject({
      id: 'call_1',
      function: { name: 'add', arguments: '{"a":1}' },
    })
    expect((await served.upstream.requestTo('/chat/completions')).body).toMatchObject({ tools })
  })

  test('waits longer for a whole answer than this site does: when it gives up, it asks again by itself', async () => {
    const { kinds, ledger } = served.site
    const patience: number[] = []
    const noting = (kind: Kind): Kind => ({
      ...kind,
      async quote(input) {
        const quote = await kind.quote(input)
        patience.push(quote.times.firstByteTimeoutMs, quote.times.bodyTimeoutMs)
        return quote
      },
    })
    const { chat, transcription } = kinds
    const noted = { ...kinds, chat: noting(chat), transcription: noting(transcription) }
    const customer = await createCustomer(ledger, 1)
    const site = { ...served.site, kinds: noted }
    await readAll(await ask(site, customer, { body: { stream: false } }))
    await readAll(await transcribe(site, customer))
    expect(patience).toHaveLength(4)
    expect(Math.max(...patience)).toBeLessThan(OpenAI.DEFAULT_TIMEOUT)
  })

  test('sends images to the upstream unchanged', async () => {
    const content = [
      { type: 'text' as const, text: 'What is this?' },
      { type: 'image_url' as const, image_url: { url: PIXEL, detail: 'low' as const } },
    ]
    await client().chat.completions.create({ model: 'standin/large', messages: [{ role: 'user', content }] })
    expect((await served.upstream.requestTo('/chat/completions')).body).toMatchObject({
      messages: [{ content }],
    })
  })

  test('completes a text with and without streaming', async () => {
    const ask = {
      model: 'standin/small',
      prompt: ['Say hello.'],
      max_tokens: 50,
      n: 2,
      best_of: 1,
      echo: false,
    }
    const whole = await client().completions.create(ask)
    expect(whole).toMatchObject({ object: 'text_completion', usage: { cost: expect.any(Number) } })
    expect(whole.choices.map(({ text, index }) => [text, index])).toEqual([
      ['Hello.', 0],
      ['Hello.', 1],
    ])
    let text = ''
    let usage: unknown = null
    for await (const chunk of await client().completions.create({ ...ask, n: 1, stream: true })) {
      text += chunk.choices[0]?.text ?? ''
      usage = chunk.usage ?? usage
    }
    expect([text, usage]).toEqual(['Hello.', expect.objectContaining({ cost: expect.any(Number) })])
    const { body } = await served.upstream.requestTo('/chat/completions')
    const messages = [{ role: 'user', content: 'Say hello.' }]
    expect(body).toEqual({ model: 'standin/small', messages, max_tokens: 50, n: 2 })
  })

  test('edits pictures', async () => {
    const png = new Uint8Array(Buffer.from(PIXEL.split(',')[1] ?? '', 'base64'))
    const image = new File([png], 'coin.png', { type: 'image/png' })
    const ask = { model: 'standin/editor', prompt: 'In silver', quality: 'low' as const }
    const drawn = await client().images.edit({ ...ask, image: [image, image] })
    expect(drawn.data).toEqual([{ b64_json: expect.any(String) }])
    expect(drawn.usage).toMatchObject({ image_count: 1, cost: expect.any(Number) })
    const { rawBody } = await served.upstream.requestTo('/images/edits')
    expect(rawBody.toString('latin1').match(/name="image\[\]"; filename="picture\.png"/g)).toHaveLength(2)
  })

  test('creates embeddings as base64, which the SDK requests by default, and as numbers', async () => {
    const input = ['A copper coin', 'Rain']
    const ask = { model: 'standin/embedder', input, dimensions: 3 }
    const packed = await client().embeddings.create(ask)
    const numbers = await client().embeddings.create({ ...ask, encoding_format: 'float' })
    expect(packed.data.map(({ embedding }) => embedding.length)).toEqual([3, 3])
    expect(packed.data).toEqual(numbers.data)
    expect(packed.usage).toMatchObject({ cost: expect.any(Number), balance_usd: expect.any(Number) })
    const { body } = await served.upstream.requestTo('/embeddings')
    expect(body).toEqual({ ...ask, encoding_format: 'base64' })
  })

  test('aborts the upstream request when the client disconnects', async () => {
    served.upstream.setScript({ chat: { steps: [{ type: 'text', text: 'Hi' }, { type: 'hang' }] } })
    const stream = await client().chat.completions.create({ ...question, stream: true })
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content === 'Hi') break
    expect(await (await served.upstream.requestTo('/chat/completions')).ended).toBe('aborted')
  })

  test('raises an error when the upstream connection breaks in the middle of a stream', async () => {
    served.upstream.setScript({ chat: { steps: [{ type: 'text', text: 'Hi' }, { type: 'destroy' }] } })
    const stream = await client().chat.completions.create({ ...question, stream: true })
    const read = async () => {
      for await (const _chunk of stream) {
        // Reads the stream to its end.
      }
    }
    await expect(read()).rejects.toThrow('The connection to the model ended before its answer was complete.')
  })

  test('streams a response with the SDK’s helper and sends the result of a tool back', async () => {
    served.upstream.setScript({
      chat: [
        {
          steps: [
            { type: 'reasoning', text: 'Add.' },
            { type: 'tool_call', id: 'call_1', name: 'add', arguments: '{"a":' },
            { type: 'tool_call', arguments: '1}' },
          ],
        },
        {
          steps: [
            { type: 'text', text: 'It is ' },
            { type: 'text', text: '2.' },
          ],
        },
      ],
    })
    const tools = [{ type: 'function' as const, name: 'add', parameters: { type: 'object' }, strict: false }]
    const request = { model: 'standin/small', tools, input: [{ role: 'user' as const, content: 'Add.' }] }
    const first = await client().responses.stream(request).finalResponse()
    expect(first.output).toMatchObject([
      { type: 'reasoning', summary: [{ text: 'Add.' }] },
      { type: 'function_call', call_id: 'call_1', name: 'add', arguments: '{"a":1}' },
    ])
    const result = { type: 'function_call_output' as const, call_id: 'call_1', output: '2' }
    const items = first.output as OpenAI.Responses.ResponseInputItem[]
    const input = [...request.input, ...items, result]
    const deltas: string[] = []
    const stream = client().responses.stream({ ...request, input })
    stream.on('response.output_text.delta', ({ delta }) => deltas.push(delta))
    const second = await stream.finalResponse()
    expect(deltas).toEqual(['It is ', '2.'])
    expect(second).toMatchObject({ output_text: 'It is 2.', usage: { cost: expect.any(Number) } })
    expect((await served.upstream.requestTo('/chat/completions', 1)).body).toMatchObject({
      messages: [
        { role: 'user', content: 'Add.' },
        {
          role: 'assistant',
          tool_calls: [{ id: 'call_1', function: { name: 'add', arguments: '{"a":1}' } }],
        },
        { role: 'tool', tool_call_id: 'call_1', content: '2' },
      ],
    })
  })

  test('creates a response without streaming, and raises an error for store: true', async () => {
    const { data } = await client()
      .responses.create({ model: 'standin/small', input: 'Say hello.' })
      .withResponse()
    expect(data).toMatchObject({ output_text: 'Hello.', status: 'completed' })
    const stored = client().responses.create({ model: 'standin/small', input: 'Hi', store: true })
    await expect(stored).rejects.toThrow('answers are not stored here. Set it to false')
  })

  test.each(['resp_1', 'x.y'])('raises NotFoundError with an explanation for response %s', async id => {
    const { responses } = client()
    for (const verb of ['retrieve', 'delete'] as const) {
      const error = await responses[verb](id).catch((raised: unknown) => raised)
      expect(error).toBeInstanceOf(OpenAI.NotFoundError)
      expect(error).toMatchObject({ type: 'invalid_request_error', param: 'id' })
      expect((error as Error).message).toMatch(`Response with id '${id}' not found. `)
      expect((error as Error).message).toMatch('X-Resume-Key')
    }
  })

  test.each([
    ['an unknown key', OpenAI.AuthenticationError, 401, {}, `sk-${'0'.repeat(32)}`],
    ['a malformed key', OpenAI.AuthenticationError, 401, {}, 'nonsense'],
    ['an unknown model', OpenAI.NotFoundError, 404, { model: 'standin/unheard-of' }, apiKey],
    ['a wrong field', OpenAI.BadRequestError, 400, { max_tokens: -1 }, apiKey],
  ])('raises the SDK’s error class for %s', async (_case, ErrorClass, status, fields, secret) => {
    const error = await client(secret)
      .chat.completions.create({ ...question, ...fields })
      .then(
        () => null,
        (raised: unknown) => raised,
      )
    expect(error).toBeInstanceOf(ErrorClass)
    expect(error).toMatchObject({ status, code: expect.any(String), type: expect.any(String) })
  })

  test('raises the SDK’s error classes for errors from the upstream', async () => {
    served.upstream.setScript({
      chat: { status: 400, body: { error: { message: 'bad tool', param: 'tools' } } },
    })
    const refused = client().chat.completions.create(question)
    await expect(refused).rejects.toBeInstanceOf(OpenAI.BadRequestError)
    await expect(refused).rejects.toMatchObject({ param: 'tools' })
    served.upstream.setScript({ chat: { status: 503, body: {} } })
    await expect(client().chat.completions.create(question)).rejects.toBeInstanceOf(
      OpenAI.InternalServerError,
    )
  })

  test('raises an APIError with the available and the required amount when the credit is too low', async () => {
    const error = await client(await served.poor())
      .chat.completions.create(question)
      .catch((raised: unknown) => raised)
    expect(error).toBeInstanceOf(OpenAI.APIError)
    expect(error).toMatchObject({
      status: 402,
      code: 'insufficient_credit',
      error: { available_usd: 0, required_usd: expect.any(Number) },
    })
  })
})

describe('a client of OpenRouter with the base path /api/v1', () => {
  const served = useSdkSite()
  const get = async (path: string, secret: string) => {
    const response = await fetch(`${served.url}/api/v1${path}`, {
      headers: { authorization: `Bearer ${secret}` },
    })
    return { status: response.status, body: await response.json() }
  }

  test('chats, and fetches the key, the credit and the cost of a call', async () => {
    const { apiKey, creditId } = served
    const client = new OpenAI({ apiKey, baseURL: `${served.url}/api/v1`, maxRetries: 0 })
    const answer = await client.chat.completions.create(question)
    const { cost }: { cost: number } = Object(answer.usage)
    const { data } = (await get('/key', apiKey)).body
    expect(data).toMatchObject({ usage: cost, usage_daily: cost, limit: null, limit_remaining: null })
    expect(data).toMatchObject({ is_free_tier: false, is_management_key: false })
    expect(data.label).toBe(`sk-…${apiKey.slice(-4)}`)
    expect((await get('/auth/key', creditId)).body.data).toMatchObject({
      usage: cost,
      is_management_key: true,
    })
    const credits = (await get('/credits', apiKey)).body.data
    expect(credits).toEqual({ total_credits: 1, total_usage: cost })
    const call = (await get(`/generation?id=${answer.id}`, apiKey)).body.data
    expect(call).toMatchObject({ id: answer.id, model: 'standin/small', total_cost: cost, cancelled: false })
    expect(call.tokens_prompt).toBe(answer.usage?.prompt_tokens)
  })

  // Those for JavaScript and Python throw "Response validation failed" if one of these is missing.
  test.each([
    [
      '/key',
      `allowed_data_regions budgets creator_user_id effective_budget free_model_daily_requests organization_id
      workspace_id`,
    ],
    [
      '/generation',
      `app_id data_region external_user http_referer moderation_latency native_finish_reason
      native_tokens_completion_images num_fetches num_input_audio_prompt num_media_completion num_media_prompt
      num_search_results preset_id provider_responses router service_tier streamed user_agent web_search_engine
      workspace_id`,
    ],
  ])('gets in %s every field that OpenRouter’s own client requires', async (path, fields) => {
    const { apiKey } = served
    const client = new OpenAI({ apiKey, baseURL: `${served.url}/api/v1`, maxRetries: 0 })
    const { id } = await client.chat.completions.create(question)
    const { data } = (await get(path === '/key' ? path : `${path}?id=${id}`, apiKey)).body
    expect(Object.keys(data)).toEqual(expect.arrayContaining(fields.split(/\s+/)))
  })

  test('lists models in the form that OpenRouter’s own client requires', async () => {
    const { body } = await get('/models', served.apiKey)
    expect(body).toMatchObject({ total_count: body.data.length, links: { next: null } })
    for (const model of body.data) {
      expect(model).toMatchObject({
        canonical_slug: model.id,
        per_request_limits: null,
        default_parameters: null,
        supported_voices: null,
        top_provider: { is_moderated: false },
      })
      expect(model.reasoning).not.toBeNull()
      expect((await fetch(`${served.url}/api${model.links.details}`)).status).toBe(200)
    }
  })

  test('is rate-limited when it fetches keys, credits and calls', async () => {
    const taken: string[] = []
    const rateLimits = {
      take: async (name: string, _headers: Headers, accountId?: string) =>
        void taken.push(`${name} ${accountId !== undefined}`),
    }
    await served.during({ rateLimits }, async () => {
      for (const path of ['/key', '/auth/key', '/credits', '/generation?id=x']) await get(path, served.apiKey)
    })
    expect(taken).toEqual(Array(4).fill('usage_sum true'))
  })

  test('cannot fetch a call of another key or account, or without an id', async () => {
    const { apiKey, creditId } = served
    const client = new OpenAI({ apiKey: creditId, baseURL: `${served.url}/api/v1`, maxRetries: 0 })
    const { data, response } = await client.chat.completions.create(question).withResponse()
    const exchangeId = response.headers.get('x-exchange-id')
    for (const id of [data.id, exchangeId]) {
      expect((await get(`/generation?id=${id}`, creditId)).status).toBe(200)
      expect((await get(`/generation?id=${id}`, apiKey)).status).toBe(404)
      expect((await get(`/generation?id=${id}`, await served.poor())).status).toBe(404)
    }
    expect(await get('/generation', apiKey)).toMatchObject({ status: 400, body: { error: { param: 'id' } } })
    expect((await get('/key', 'sk-aaaaaaaaaaaaaaaaaaaaaaaa')).status).toBe(401)
  })
})
