import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { measurePrompt } from '@/lib/catalogue/domain/measure-prompt'
import { someModel, somePrices } from '@/lib/catalogue/domain/testing'
import { ZERO } from '@/lib/money/decimal'
import { upstreamDialect } from '@/lib/upstream/upstream-dialect'
import { imagesKind } from '../images/images'
import { chatKind } from './chat'
import { readChatRequest } from './contract'
import { planChat, termsFor } from './plan'
import { upstreamBody } from './upstream-body'

test('a host that searches the web or reads files is sent limits of their cost', () => {
  const prices = somePrices({ prompt: '0.000001', completion: '0.000002', webSearch: '0.01' })
  const tools = [{ type: 'openrouter:web_search', parameters: { max_uses: 1 } }]
  const file = { type: 'file', file: { file_data: 'data:application/pdf;base64,A' } }
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'What is new?' }, file] }]
  const { request } = readChatRequest({ model: 'm', messages, tools })
  const dialect = upstreamDialect('https://openrouter.ai/api/v1')
  const input = { measure: measurePrompt(request), audioTokenCountMax: 0, dialects: [dialect] }
  const plan = planChat(request, [someModel({ id: 'm', prices })], input)
  const body = upstreamBody(request, {
    plan,
    terms: termsFor(plan, plan.boundNano),
    heldNano: 300_000_000n,
    priceMarkup: { coefficient: 25n, scale: 2 },
    dialect,
    isTranslated: false,
  })
  expect(body.stop_server_tools_when).toEqual([
    { type: 'step_count_is', step_count: 2 },
    // The hold without our markup.
    { type: 'max_cost', max_cost_in_dollars: 0.24 },
  ])
  expect(body.plugins).toEqual([{ id: 'file-parser', pdf: { engine: 'cloudflare-ai' } }])
  // Likewise the listed prices, in dollars per million tokens.
  const [prompt, completion] = [expect.closeTo(0.8, 5), expect.closeTo(1.6, 5)]
  expect(body.provider).toEqual({ max_price: { prompt, completion, request: 0, image: 0 } })
})

/** What a host without search and without a choice of its own is sent. */
function bodyAt(baseUrl: string, fields: object, isTranslated = false): Record<string, unknown> {
  const model = someModel({ id: 'm', prices: somePrices({ prompt: '0.000001', completion: '0.000002' }) })
  const messages = [{ role: 'user', content: 'Say hello.' }]
  const { request } = readChatRequest({ model: 'm', messages, ...fields })
  const dialect = upstreamDialect(baseUrl)
  const input = { measure: measurePrompt(request), audioTokenCountMax: 0, dialects: [dialect] }
  const plan = planChat(request, [model], input)
  const heldNano = plan.boundNano
  const terms = termsFor(plan, heldNano)
  return upstreamBody(request, { plan, terms, heldNano, priceMarkup: ZERO, dialect, isTranslated })
}

test.each([
  ['auto', 'default'],
  ['default', 'default'],
  ['flex', 'flex'],
  [undefined, undefined],
])(
  'the tier %s is asked for as %s: a host may take its own choice for one that costs more',
  (asked, sent) => {
    const body = bodyAt('https://api.openai.com/v1', { service_tier: asked })
    expect(body.service_tier).toBe(sent)
  },
)

describe('the token limit of an answer', () => {
  const limitsAt = (baseUrl: string, fields: object, isTranslated: boolean) => {
    const { max_tokens: older, max_completion_tokens: newer } = bodyAt(baseUrl, fields, isTranslated)
    return [older, newer]
  }
  const bothWays = [false, true] as const

  test.each([
    ['https://api.openai.com/v1', false],
    ['https://api.openai.com/v1', true],
    ['https://eu.api.openai.com/v1', false],
  ])('is sent to %s as max_completion_tokens alone (translated: %s)', (baseUrl, isTranslated) => {
    const limits = (fields: object) => limitsAt(baseUrl, fields, isTranslated)
    expect(limits({ max_tokens: 9 })).toEqual([undefined, 9])
    expect(limits({ max_completion_tokens: 9 })).toEqual([undefined, 9])
    expect(limits({ max_tokens: 9, max_completion_tokens: 12 })).toEqual([undefined, 9])
    expect(limits({})).toEqual([undefined, expect.any(Number)])
  })

  test.each(bothWays)('is sent to other hosts as max_tokens alone (translated: %s)', isTranslated => {
    const limits = (fields: object) => limitsAt('https://elsewhere.test/v1', fields, isTranslated)
    expect(limits({ max_tokens: 9 })).toEqual([9, undefined])
    expect(limits({ max_completion_tokens: 9 })).toEqual([9, undefined])
    expect(limits({ max_tokens: 12, max_completion_tokens: 9 })).toEqual([9, undefined])
    expect(limits({})).toEqual([expect.any(Number), undefined])
  })

  test.each([
    ['gpt-5.6-mini', 'max_completion_tokens'],
    ['openai/gpt-6', 'max_completion_tokens'],
    ['o3', 'max_completion_tokens'],
    ['azure/o4-mini', 'max_completion_tokens'],
    ['openai.gpt-5', 'max_completion_tokens'],
    ['openai:o3', 'max_completion_tokens'],
    ['gpt-4o', 'max_tokens'],
    ['marco-o1', 'max_tokens'],
    ['gpt-oss-120b', 'max_tokens'],
    ['deepseek-v4', 'max_tokens'],
  ])('of %s is sent elsewhere as %s, unless the client uses the older name', (model, field) => {
    const sentFor = (fields: object) => {
      const [older, newer] = limitsAt('https://elsewhere.test/v1', { model, ...fields }, false)
      return { max_tokens: older, max_completion_tokens: newer }
    }
    const none = { max_tokens: undefined, max_completion_tokens: undefined }
    expect(sentFor({ max_completion_tokens: 9 })).toEqual({ ...none, [field]: 9 })
    expect(sentFor({})).toEqual({ ...none, [field]: expect.any(Number) })
    expect(sentFor({ max_tokens: 9 })).toEqual({ ...none, max_tokens: 9 })
  })
})

test.each(['chat', 'image'] as const)(
  'writing a body with large pictures does not block the event loop (%s)',
  async kind => {
    const findModel = async () => someModel({ kind, inputModalities: ['text', 'image'], contextLength: null })
    const upstream = { id: 'upstream', baseUrl: 'https://elsewhere.test/v1', apiKey: null, setBy: '' }
    const services = {
      catalogue: { findModel, listModels: async () => [], secondsToMissingList: async () => null },
      upstreams: [upstream],
      priceMarkup: ZERO,
    }
    const url = `data:image/png;base64,${'QUJD'.repeat(1024 * 1024)}`
    const content = [{ type: 'image_url', image_url: { url } }]
    const body = {
      chat: { messages: [{ role: 'user', content }] },
      image: { prompt: 'Redder.', image: url },
    }[kind]
    const quote = await { chat: chatKind, image: imagesKind }[kind](services).quote({
      body: Buffer.alloc(0),
      json: async () => ({ model: 'm', ...body }),
      contentType: null,
      keyRouting: null,
    })
    let isWritten = false
    const written = Promise.resolve(quote.callFor(quote.boundNano).requestTo(upstream))
    void written.then(() => {
      isWritten = true
    })
    await nextTurn()
    expect(isWritten).toBe(false)
    expect(String((await written).body)).toContain(url)
  },
)
