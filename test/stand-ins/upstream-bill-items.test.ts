import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { STAND_IN_VOICES, type StandInElevenLabs, startStandInElevenLabs } from './elevenlabs'
import { billedUpstream, HI, itemsOf, THREE_WORDS } from './upstream-bill-testing'
import { countTokens } from './upstream-prompt'
import type { Answer } from './upstream-script'

const { running, post, billOf, billedUsd } = billedUpstream()

describe('the billed prompt', () => {
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
    const { 'prompt tokens': words = 0, 'tokens of sound': sound = 0 } = await billOf(fields)
    expect(words + sound).toBeGreaterThanOrEqual(11)
  })

  test('with a picture costs its tokens and its price', async () => {
    const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }
    expect(await billOf({ model: 'full', messages: [{ role: 'user', content: [picture] }] })).toMatchObject({
      'prompt tokens': 769,
      'pictures read': 1,
    })
  })

  test('above a price threshold is billed at the higher prices', async () => {
    await billOf({ model: 'long', messages: [{ role: 'user', content: 'word '.repeat(100) }] })
    expect(running().bills().bills[0]?.items[0]).toEqual({
      what: 'prompt tokens',
      count: 105,
      usdEach: '0.002',
    })
  })

  test('with cache marks is billed as written and as read', async () => {
    const part = { type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } }
    expect(await billOf({ model: 'full', messages: [{ role: 'user', content: [part] }] })).toMatchObject({
      'tokens written to the cache': 5,
    })
    running().forget()
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
  ])('in %s has about as many tokens as current tokenizers count', (_, text, count) => {
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

  test('are billed on a free model, too', async () => {
    await billOf({ model: 'free', plugins: [{ id: 'web', max_results: 50 }] })
    expect(billedUsd()).toBe(0.2)
  })

  test('priority doubles the price and an expensive provider triples it, unless they are refused', async () => {
    await billOf({ service_tier: 'priority' })
    expect(billedUsd()).toBe(0.07)
    running().forget()
    await billOf({ provider: { order: ['dear-provider'] } })
    expect(billedUsd()).toBe(0.105)
    running().forget()
    await billOf({ provider: { order: ['dear-provider'], max_price: { prompt: 1_000, completion: 10_000 } } })
    expect(billedUsd()).toBe(0.035)
  })
})

test('pictures are billed each, or by the tokens of their size and quality', async () => {
  await (await post('/images/generations', { model: 'painter', prompt: 'A coin', n: 3 })).text()
  expect(itemsOf(running())).toEqual({ 'pictures drawn': 3 })
  running().forget()
  const sizes = { size: '1024x1024', quality: 'low', n: 2 }
  await (await post('/images/generations', { model: 'gpt-image', prompt: 'A coin', ...sizes })).text()
  await (await post('/images/generations', { model: 'gpt-image', prompt: 'A coin' })).text()
  expect(
    running()
      .bills()
      .bills.map(({ items }) => items[0]?.count),
  ).toEqual([544, 6_240])
})

test('the text of speech is billed whole once it is accepted', async () => {
  running().setScript({ speech: { beforeHeaders: [{ type: 'gate', name: 'mid' }] } })
  const abort = new AbortController()
  const sound = post('/audio/speech', { model: 'reader', input: 'Ten letter' }, abort.signal)
  await running().gates.reached('mid')
  abort.abort()
  await expect(sound).rejects.toThrow()
  expect(itemsOf(running())).toEqual({ characters: 10 })
})

test('a recording is billed by its real seconds', async () => {
  running().setScript({ transcriptions: { recordingSeconds: 1_800, body: { text: 'Hm', duration: 0.3 } } })
  const form = new FormData()
  form.set('model', 'whisper')
  form.set('file', new Blob([new Uint8Array(100)]), 'a.mp3')
  await fetch(`${running().baseUrl}/audio/transcriptions`, { method: 'POST', body: form })
  expect(itemsOf(running())).toEqual({ seconds: 1_800 })
  expect(running().bills().bills[0]?.model).toBe('whisper')
})

test('a recording is billed by its tokens where a second has no price', async () => {
  running().setScript({ transcriptions: { recordingSeconds: 30, transcript: 'Ho Ho' } })
  const form = new FormData()
  form.set('model', 'transcribe')
  form.set('prompt', 'Santa')
  form.set('file', new Blob([new Uint8Array(100)]), 'a.mp3')
  const answer = await fetch(`${running().baseUrl}/audio/transcriptions`, { method: 'POST', body: form })
  expect((await answer.json()).usage).toMatchObject({ input_tokens: 301, output_tokens: 2 })
  expect(itemsOf(running())).toEqual({ 'tokens of sound': 300, 'prompt tokens': 1, 'output tokens': 2 })
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
