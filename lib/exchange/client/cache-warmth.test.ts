import { expect, test } from '@jest/globals'
import type { Message, Receipt } from '@/lib/local/domain/conversation'
import { warmCache } from './cache-warmth'
import { estimateOutgoing, outgoingContext } from './outgoing'

const model = (id: string, input_cache_read?: string) => ({
  id,
  windowTokens: null,
  prices: { prompt: '0.00001', completion: '0.00001', input_cache_read },
  controls: { temperature: true, outputTokensMax: null, efforts: [] },
})
const ASKED_AT = '2026-11-22T12:00:00.000Z'
const CHEAP = '0.000001'
/** 4,000 tokens by our count, and by their host's. */
const LONG = 'word '.repeat(3_900)

function warmthOf(asked: ReturnType<typeof model>, told: Partial<Receipt>, change: Partial<Message> = {}) {
  const counts = { cost_usd: '0.04', input_token_count: 4_000, output_token_count: 20, estimated: false }
  const answer: Message = {
    role: 'assistant',
    content: 'Well.',
    model: asked.id,
    created_at: ASKED_AT,
    receipt: { ...counts, ...told },
    ...change,
  }
  const messages: Message[] = [{ role: 'user', content: LONG }, answer]
  const context = outgoingContext([...messages, { role: 'user', content: 'And?' }], null, null)
  const warm = warmCache(asked, messages, context, null)
  return warm && { ...warm, estimate: estimateOutgoing(asked, context, null) }
}

test('says until when the prompt may be read from the host’s cache, and for how much', () => {
  const warm = warmthOf(model('openai/gpt-5', CHEAP), { cached_token_count: 0 })
  expect(warm?.untilMs).toBe(Date.parse(ASKED_AT) + 5 * 60_000)
  expect(warm?.whole).toBe(warm?.estimate)
  // Nine tenths of 3,982 tokens at a thousandth of a cent.
  expect((warm?.whole ?? 0n) - (warm?.price ?? 0n)).toBe(35_838_000n)
})

test.each<[string, ReturnType<typeof model>, Partial<Receipt>, Partial<Message>]>([
  ['the list names no price for it', model('openai/gpt-5'), { cached_token_count: 0 }, {}],
  ['its price is no lower', model('openai/gpt-5', '0.00001'), { cached_token_count: 0 }, {}],
  ['the host told nothing of a cache', model('openai/gpt-5', CHEAP), {}, {}],
  ['nobody knows how long it lasts', model('vendor/model', CHEAP), { cached_token_count: 9 }, {}],
  ['nothing was put into it', model('anthropic/claude-x', CHEAP), { cached_token_count: 0 }, {}],
  ['it was too short', model('openai/gpt-5', CHEAP), { cached_token_count: 0, input_token_count: 900 }, {}],
  ['another model answered', model('openai/gpt-5', CHEAP), { cached_token_count: 0 }, { model: 'other' }],
])('says nothing if %s', (_, asked, told, change) => {
  expect(warmthOf(asked, told, change)).toBeNull()
})

test('says nothing if the prompt now begins differently', () => {
  const asked = model('openai/gpt-5', CHEAP)
  const answer: Message = {
    role: 'assistant',
    content: 'Well.',
    model: asked.id,
    created_at: ASKED_AT,
    receipt: {
      cost_usd: '0',
      input_token_count: 4_000,
      output_token_count: 1,
      cached_token_count: 0,
      estimated: false,
    },
  }
  const before: Message[] = [
    { role: 'user', content: 'First' },
    answer,
    { role: 'user', content: LONG },
    answer,
  ]
  const warm = (earlier_messages_max?: number) => {
    const said: Message[] = [...before, { role: 'user', content: 'And?' }]
    const context = outgoingContext(said, { earlier_messages_max }, null)
    return warmCache(asked, before, context, {})
  }
  expect(warm()).not.toBeNull()
  expect(warm(2)).toBeNull()
})
