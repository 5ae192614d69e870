import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { STAND_IN_VOICES, type StandInElevenLabs, startStandInElevenLabs } from './elevenlabs'
import { type StandInUpstream, startStandInUpstream } from './upstream'
import { standInModel } from './upstream-models'
import { countTokens } from './upstream-prompt'
import type { Answer, Step } from './upstream-script'

const MODELS = [
  standInModel({ id: 'plain', prompt: '0.001', completion: '0.01' }),
  standInModel({ id: 'free', prompt: '0', completion: '0' }),
  standInModel({
    id: 'full',
    prompt: '0.001',
    completion: '0.01',
    pricing: {
      image: '0.5',
      request: '0.25',
      web_search: '0.02',
      internal_reasoning: '0.03',
      input_cache_read: '0.0001',
      input_cache_write: '0.00125',
    },
  }),
  {
    ...standInModel({ id: 'long', prompt: '0.001', completion: '0.01' }),
    pricing: {
      prompt: '0.001',
      completion: '0.01',
      overrides: [{ min_prompt_tokens: 100, prompt: '0.002' }],
    },
  },
  standInModel({
    id: 'painter',
    prompt: '0',
    completion: '0',
    output: ['image'],
    pricing: { image: '0.04' },
  }),
  standInModel({
    id: 'artist',
    prompt: '0',
    completion: '0',
    output: ['image'],
    pricing: { image_output: '0.00004' },
  }),
  standInModel({
    id: 'reader',
    prompt: '0',
    completion: '0',
    output: ['audio'],
    pricing: { input_character: '0.01' },
  }),
  standInModel({
    id: 'whisper',
    prompt: '0',
    completion: '0',
    input: ['audio'],
    pricing: { input_second: '0.1' },
  }),
]
/** Five tokens: one, and four around every message. */
const HI = [{ role: 'user', content: 'Hi' }]
const THREE_WORDS: Step[] = [{ type: 'text', text: 'Ho ', times: 3 }]

let upstream: StandInUpstream
beforeAll(async () => {
  upstream = await startStandInUpstream({ models: MODELS })
})
afterAll(() => upstream.close())
beforeEach(() => {
  upstream.forget()
  upstream.setScript({ chat: { steps: THREE_WORDS } })
})

function post(path: string, body: object, signal?: AbortSignal): Promise<Response> {
  return fetch(`${upstream.baseUrl}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  })
}

const ask = (fields: object = {}, signal?: AbortSignal) =>
  post('/chat/completions', { model: 'plain', messages: HI, ...fields }, signal)

async function billOf(
  fields: object,
  answer: Answer = { steps: THREE_WORDS },
): Promise<Record<string, number>> {
  upstream.setScript({ chat: answer })
  await (await ask(fields)).text()
  return itemsOf(upstream)
}

function itemsOf({ bills }: Pick<StandInUpstream, 'bills'>): Record<string, number> {
  return Object.fromEntries(bills().bills.flatMap(bill => bill.items.map(({ what, count }) => [what, count])))
}

const billedUsd = () => Number(upstream.bills().billedNano) / 1e9

describe('a whole answer', () => {
  test('is billed by the prompt and the output, whatever is told of them', async () => {
    const lies = {
      usage: { mode: 'value', value: { prompt_tokens: 790_000, completion_tokens: 0 } },
    } as const
    for (const answer of [
      {},
      lies,
      { promptTokens: 1, costUsd: 99 },
      { usage: { mode: 'absent' } as const },
    ]) {
      upstream.forget()
      expect(await billOf({}, { steps: THREE_WORDS, ...answer })).toEqual({
        'prompt tokens': 5,
        'output tokens': 3,
      })
      expect(billedUsd()).toBe(0.035)
    }
  })

  test('tells the cost that is billed when it is to tell the truth', async () => {
    upstream.setScript({ chat: { steps: THREE_WORDS, costUsd: 'billed' } })
    expect(await (await ask()).json()).toMatchObject({ usage: { cost: 0.035, prompt_tokens: 5 } })
  })

  test('of an own key tells a fee, and what the key is billed in its details', async () => {
    upstream.setScript({ chat: { steps: THREE_WORDS, costUsd: 'billed', byok: true } })
    const { usage } = await (await ask()).json()
    expect(usage.is_byok).toBe(true)
    expect(usage.cost).toBeLessThan(0.002)
    expect(usage.cost + usage.cost_details.upstream_inference_cost).toBeCloseTo(0.035, 12)
  })

  test('is billed to its end when its reader leaves', async () => {
    upstream.setScript({ chat: { steps: [{ type: 'gate', name: 'mid' }, ...THREE_WORDS] } })
    await leaveAt('mid')
    expect(itemsOf(upstream)).toEqual({ 'prompt tokens': 5, 'output tokens': 3 })
  })
})

describe('a stream', () => {
  const stream = { stream: true }
  const halfway: Step[] = [...THREE_WORDS, { type: 'gate', name: 'mid' }, ...THREE_WORDS]

  test('is billed what was generated until its reader left', async () => {
    upstream.setScript({ chat: { steps: halfway } })
    await leaveAt('mid', stream)
    expect(itemsOf(upstream)).toEqual({ 'prompt tokens': 5, 'output tokens': 3 })
  })

  test('is billed to its end by a host that goes on without its reader', async () => {
    upstream.setScript({ chat: { steps: halfway, bills: 'whole' } })
    await leaveAt('mid', stream)
    expect(itemsOf(upstream)).toEqual({ 'prompt tokens': 5, 'output tokens': 6 })
  })

  test('that its reader left before the first byte is billed the prompt', async () => {
    upstream.setScript({ chat: { beforeHeaders: [{ type: 'gate', name: 'mid' }, { type: 'hang' }] } })
    await leaveAt('mid', stream)
    expect(itemsOf(upstream)).toEqual({ 'prompt tokens': 5 })
  })

  test('is billed for what it hides, speaks and sends in parts', async () => {
    const steps: Step[] = [
      { type: 'hidden', tokens: 500 },
      { type: 'audio', data: 'AAAA', tokens: 7, times: 2 },
      { type: 'part', text: 'Ho', tokens: 4 },
    ]
    expect(await billOf({ ...stream, model: 'full' }, { steps })).toMatchObject({
      'reasoning tokens': 500,
      'output tokens': 18,
    })
  })

  test.each<[string, Answer]>([
    ['an error status', { status: 503, body: { error: { message: 'Overloaded' } } }],
    ['an error before any output', { steps: [{ type: 'error', error: { message: 'Overloaded' } }] }],
    ['a cut before the headers', { beforeHeaders: [{ type: 'destroy' }] }],
    ['a cut before any output', { steps: [{ type: 'destroy' }] }],
    ['an end before any output', { steps: [{ type: 'comment', text: 'WORKING' }, { type: 'end' }] }],
  ])('that fails by %s is billed nothing', async (_, answer) => {
    upstream.setScript({ chat: answer })
    await ask(stream).then(
      response => response.text().catch(() => ''),
      () => '',
    )
    expect(upstream.bills()).toEqual({ bills: [], billedNano: 0n })
  })

  test.each<[string, Step]>([
    ['an error', { type: 'error', error: { message: 'Broke' } }],
    ['a cut', { type: 'destroy' }],
    ['an end', { type: 'end' }],
  ])('that fails by %s after some output is billed that', async (_, step) => {
    upstream.setScript({ chat: { steps: [...THREE_WORDS, step] } })
    await (await ask(stream)).text().catch(() => '')
    expect(itemsOf(upstream)).toEqual({ 'prompt tokens': 5, 'output tokens': 3 })
  })

  test('leaves a record of what it costs, cut or not', async () => {
    upstream.setScript({ chat: { steps: halfway, costUsd: 'billed' } })
    const id = await leaveAt('mid', stream)
    const record = await fetch(`${upstream.baseUrl}/generation?id=${id}`)
    expect(await record.json()).toMatchObject({ data: { total_cost: 0.035, native_tokens_completion: 3 } })
  })
})

test('a request whose body was never read is billed nothing', async () => {
  upstream.setHost({ bodyGate: 'body' })
  const abort = new AbortController()
  const answer = ask({}, abort.signal)
  await upstream.gates.reached('body')
  abort.abort()
  await expect(answer).rejects.toThrow()
  upstream.gates.open('body')
  expect(upstream.bills().bills).toEqual([])
})

describe('the prompt', () => {
  const words = 'seven words of no interest to anybody'
  const tool = { type: 'function', function: { name: 'f', arguments: `{"text":"${words}"}` } }
  const listed = { type: 'function', function: { name: 'f', description: words } }
  const schema = { type: 'json_schema', json_schema: { description: words } }
  test.each<[string, object]>([
    ['content', { messages: [{ role: 'user', content: `Hi ${words}` }] }],
    ['parts', { messages: [{ role: 'user', content: [{ type: 'text', text: words }] }] }],
    ['arguments of calls', { messages: [...HI, { role: 'assistant', content: null, tool_calls: [tool] }] }],
    ['tools', { tools: [listed] }],
    ['the shape of the answer', { response_format: schema }],
    [
      'a document',
      { messages: [{ role: 'user', content: [{ type: 'file', file: { file_data: 'A'.repeat(80) } }] }] },
    ],
    [
      'sound',
      {
        messages: [
          { role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'A'.repeat(40_000) } }] },
        ],
      },
    ],
  ])('is counted with its %s', async (_, fields) => {
    const { 'prompt tokens': count } = await billOf(fields)
    expect(count).toBeGreaterThanOrEqual(11)
  })

  test('with a picture costs its tokens and its price', async () => {
    const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }
    expect(await billOf({ model: 'full', messages: [{ role: 'user', content: [picture] }] })).toMatchObject({
      'prompt tokens': 769,
      'pictures read': 1,
    })
  })

  test('beyond a band is billed at the prices of that band', async () => {
    await billOf({ model: 'long', messages: [{ role: 'user', content: 'word '.repeat(100) }] })
    expect(upstream.bills().bills[0]?.items[0]).toEqual({
      what: 'prompt tokens',
      count: 105,
      usdEach: '0.002',
    })
  })

  test('that is to be cached is billed as written, and as read', async () => {
    const part = { type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } }
    expect(await billOf({ model: 'full', messages: [{ role: 'user', content: [part] }] })).toMatchObject({
      'tokens written to the cache': 5,
    })
    upstream.forget()
    expect(await billOf({ model: 'full' }, { cachedTokens: 4 })).toMatchObject({
      'prompt tokens': 1,
      'cached tokens': 4,
    })
  })

  const row = {
    id: 'user_1',
    email_address: 'person@example.com',
    tags: ['alpha'],
    createdAt: '2026-11-20T10:11:12Z',
  }
  // What OpenAI's o200k_base makes of them.
  test.each([
    [
      'prose',
      'Rain came late, ships were few, and hardly anybody noticed before the shelves were empty. ',
      181,
    ],
    ['JSON', JSON.stringify(row), 360],
    ['Russian', 'Сегодня чашка кофе стоит три доллара, а не два, как в прошлом году. ', 181],
  ])('in %s has about as many tokens as tokenizers of today make of it', (_, text, count) => {
    expect(Math.abs(countTokens(text.repeat(10)) / count - 1)).toBeLessThan(0.2)
  })
})

describe('extras', () => {
  test.each<[string, object, Answer, Record<string, number>]>([
    ['each choice', { n: 3 }, {}, { 'output tokens': 9 }],
    ['results of the web plugin', { plugins: [{ id: 'web', max_results: 50 }] }, {}, { 'web results': 50 }],
    ['a search by option', { web_search_options: {} }, {}, { 'searches by option': 1 }],
    [
      'searches that were run',
      {},
      { steps: [{ type: 'search' }, { type: 'search' }] },
      { 'web searches': 2 },
    ],
    ['the fee of a request', {}, {}, { requests: 1 }],
  ])('%s are billed', async (_, fields, answer, items) => {
    const billed = await billOf({ model: 'full', ...fields }, { steps: THREE_WORDS, ...answer })
    expect(billed).toMatchObject(items)
  })

  test('cost what they cost on a free model, too', async () => {
    await billOf({ model: 'free', plugins: [{ id: 'web', max_results: 50 }] })
    expect(billedUsd()).toBe(0.2)
  })

  test('priority is twice the price, and a dear provider three times, unless it is refused', async () => {
    await billOf({ service_tier: 'priority' })
    expect(billedUsd()).toBe(0.07)
    upstream.forget()
    await billOf({ provider: { order: ['dear-provider'] } })
    expect(billedUsd()).toBe(0.105)
    upstream.forget()
    await billOf({ provider: { order: ['dear-provider'], max_price: { prompt: 1_000, completion: 10_000 } } })
    expect(billedUsd()).toBe(0.035)
  })
})

describe('fallbacks', () => {
  test('the next of the models answers for one that is down, and is billed and named', async () => {
    upstream.setHost({ downModels: ['free'] })
    const answer = await ask({ model: 'free', models: ['plain'] })
    expect(await answer.json()).toMatchObject({ model: 'plain' })
    expect(upstream.bills().bills[0]?.model).toBe('plain')
  })

  test('all of them down is an error and no bill', async () => {
    upstream.setHost({ downModels: ['free', 'plain'] })
    expect((await ask({ model: 'free', models: ['plain'] })).status).toBe(503)
    expect(upstream.bills().bills).toEqual([])
  })
})

test('pictures are billed by the piece, or by the tokens of their size and quality', async () => {
  await (await post('/images/generations', { model: 'painter', prompt: 'A coin', n: 3 })).text()
  expect(itemsOf(upstream)).toEqual({ 'pictures drawn': 3 })
  upstream.forget()
  const sizes = { size: '1024x1024', quality: 'low', n: 2 }
  await (await post('/images/generations', { model: 'artist', prompt: 'A coin', ...sizes })).text()
  await (await post('/images/generations', { model: 'artist', prompt: 'A coin' })).text()
  expect(upstream.bills().bills.map(({ items }) => items[0]?.count)).toEqual([544, 6_240])
})

test('a text to be read aloud is billed whole as soon as it was taken', async () => {
  upstream.setScript({ speech: { beforeHeaders: [{ type: 'gate', name: 'mid' }] } })
  const abort = new AbortController()
  const sound = post('/audio/speech', { model: 'reader', input: 'Ten letter' }, abort.signal)
  await upstream.gates.reached('mid')
  abort.abort()
  await expect(sound).rejects.toThrow()
  expect(itemsOf(upstream)).toEqual({ characters: 10 })
})

test('a recording is billed by the seconds that it really has', async () => {
  upstream.setScript({ transcriptions: { recordingSeconds: 1_800, body: { text: 'Hm', duration: 0.3 } } })
  const form = new FormData()
  form.set('model', 'whisper')
  form.set('file', new Blob([new Uint8Array(100)]), 'a.mp3')
  await fetch(`${upstream.baseUrl}/audio/transcriptions`, { method: 'POST', body: form })
  expect(itemsOf(upstream)).toEqual({ seconds: 1_800 })
  expect(upstream.bills().bills[0]?.model).toBe('whisper')
})

test('other processes ask over HTTP for what is billed, and how the host is', async () => {
  const root = upstream.baseUrl.replace('/v1', '')
  await fetch(`${root}/__host`, { method: 'POST', body: '{"priceFactor":2}' })
  await (await ask()).text()
  expect(await (await fetch(`${root}/__bills`)).json()).toMatchObject({
    billed_nano: '70000000',
    bills: [{ model: 'plain', usd: '0.07' }],
  })
  await fetch(`${root}/__bills`, { method: 'DELETE' })
  expect(upstream.requests).toHaveLength(0)
})

describe('ElevenLabs', () => {
  let elevenLabs: StandInElevenLabs
  beforeAll(async () => {
    elevenLabs = await startStandInElevenLabs()
  })
  afterAll(() => elevenLabs.close())
  const send = (path: string, body: BodyInit, headers = {}) =>
    fetch(`${elevenLabs.baseUrl}${path}`, {
      method: 'POST',
      body,
      headers: { 'xi-api-key': elevenLabs.apiKey, ...headers },
    })

  test('bills characters and seconds, and nothing for what it refuses', async () => {
    const [voice] = STAND_IN_VOICES
    const text = JSON.stringify({ text: 'Ten letter', model_id: 'eleven_v3' })
    await (await send(`/v1/text-to-speech/${voice?.voice_id}/stream`, text)).arrayBuffer()
    await send('/v1/text-to-speech/nobody/stream', text)
    elevenLabs.setScript({ transcript: { recordingSeconds: 60 } })
    const form = new FormData()
    form.set('model_id', 'scribe_v2')
    form.set('file', new Blob([new Uint8Array(100)]))
    await (await send('/v1/speech-to-text', form)).text()
    expect(itemsOf(elevenLabs)).toEqual({ seconds: 60 })
  })
})

/** Asks, waits for the answer at a gate, leaves, and tells the answer's id where it had begun. */
async function leaveAt(gate: string, fields: object = {}): Promise<string | null> {
  const abort = new AbortController()
  const answer = ask(fields, abort.signal).catch(() => null)
  await upstream.gates.reached(gate)
  const id = await Promise.race([
    answer.then(reply => reply?.headers.get('x-generation-id') ?? null),
    atOnce(),
  ])
  abort.abort()
  await (await upstream.requestTo('/chat/completions')).ended
  return id
}

/** Long enough for headers that are already on their way, of which the gate behind them tells. */
async function atOnce(): Promise<null> {
  for (let turn = 0; turn < 50; turn += 1) await new Promise(resolve => setImmediate(resolve))
  return null
}
