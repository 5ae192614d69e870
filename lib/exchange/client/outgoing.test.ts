import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { ESTIMATE_FACTOR } from '@/lib/catalogue/domain/prompt-tokens'
import type { Conversation, Message } from '@/lib/local/domain/conversation'
import type { Steering } from '@/lib/local/domain/steering'
import { guardedStorage } from '@/lib/local/storage/guarded-storage'
import { estimateMessage, mostOfMessage } from './estimate-message'
import { countMessageTokens } from './message-tokens'
import {
  answerWithin,
  estimateEverydayMessage,
  estimateOutgoing,
  mostOutgoing,
  outgoingContext,
  outgoingParameters,
} from './outgoing'
import { chatRequest } from './request-body'

const words = fc
  .array(fc.constantFrom('word', 'Wort', ' ', '\n', '日本'), { maxLength: 40 })
  .map(all => all.join(' '))
const message: fc.Arbitrary<Message> = fc.record({
  role: fc.constantFrom<Message['role'][]>('user', 'assistant', 'system'),
  content: words,
})
const steering: fc.Arbitrary<Steering> = fc.record(
  {
    system_prompt: words,
    temperature: fc.constantFrom(0, 0.3, 2),
    max_tokens: fc.integer({ min: 16, max: 2_000 }),
    reasoning_effort: fc.constantFrom('low', 'high', 'unheard'),
  },
  { requiredKeys: [] },
)
const controls = fc.record({
  temperature: fc.boolean(),
  outputTokensMax: fc.option(fc.integer({ min: 100, max: 500 })),
  efforts: fc.constantFrom([], ['high', 'low']),
})

/** One token in or out is a dollar, so that an estimate is a count. */
const PRICES = { prompt: '1', completion: '1' }

const THOUGHTS: Readonly<Record<string, number>> = { low: 600, usual: 1_500, high: 4_800 }

test('the estimate counts exactly what is sent', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(message, { maxLength: 8 }),
      steering,
      controls,
      fc.option(words),
      fc.option(fc.integer({ min: 20, max: 500 })),
      async (said, steered, has, everyChat, windowTokens) => {
        guardedStorage.clear()
        guardedStorage.write('maxContext', '256')
        if (everyChat !== null) guardedStorage.write('instructions', everyChat)
        const messages = [...said, { role: 'user' as const, content: 'And now?' }]
        const parameters = outgoingParameters(has, steered)
        const answer: Message = {
          role: 'assistant',
          id: 'a',
          content: '',
          window_tokens: windowTokens ?? undefined,
          ...parameters,
        }
        const conversation: Conversation = {
          id: 'c',
          created_at: '',
          messages: [...messages, answer],
          ...steered,
        }
        const body = JSON.parse(await chatRequest(conversation, 'a'))
        const model = { prices: PRICES, controls: has, windowTokens }
        const context = outgoingContext(messages, steered, windowTokens)
        expect(body.messages).toEqual(context.messages)
        const sent = body.messages.reduce((sum: number, one: Message) => sum + countMessageTokens(one), 0)
        const thought = has.efforts.length === 0 ? 0 : THOUGHTS[body.reasoning_effort ?? 'usual']
        const written = Math.min(400 + (thought ?? 0), body.max_tokens ?? has.outputTokensMax ?? Infinity)
        // No model reads more than it has room for, whatever is sent.
        const read = Math.min(sent, windowTokens ?? sent)
        const estimate = estimateOutgoing(model, context, steered) ?? -1n
        expect(estimate).toBe(BigInt(read + written) * 1_000_000_000n)
        expect(estimate).toBeLessThanOrEqual(mostOutgoing(model, context, steered) ?? -1n)
      },
    ),
  )
})

test('parameters that the model does not support are not sent', () => {
  fc.assert(
    fc.property(steering, controls, (steered, has) => {
      const asked = outgoingParameters(has, steered)
      expect(asked.temperature).toBe(has.temperature ? steered.temperature : undefined)
      expect(asked.max_tokens ?? 0).toBeLessThanOrEqual(has.outputTokensMax ?? 2_000)
      expect([undefined, ...has.efforts]).toContain(asked.reasoning_effort)
    }),
  )
})

test('a picture for a model without vision costs only its replacement text', () => {
  const url = 'data:image/png;base64,AA=='
  const picture = { type: 'image_url' as const, image_url: { url, created_at: '' } }
  const costs = (takesPictures: boolean, parts: readonly (typeof picture)[]): [bigint, bigint] => {
    const model = { windowTokens: null, prices: { ...PRICES, image: '100' }, takesPictures }
    const messages: Message[] = [{ role: 'user', content: [{ type: 'text', text: 'See?' }, ...parts] }]
    return [estimateMessage(model, messages, 0) ?? 0n, mostOfMessage(model, messages, 0) ?? 0n]
  }
  const [without, mostWithout] = costs(false, [])
  const [unseen, mostUnseen] = costs(false, [picture])
  const [seen, mostSeen] = costs(true, [picture])
  const words = 1_000_000_000n * 60n
  expect(unseen - without).toBeLessThan(words)
  expect(mostUnseen - mostWithout).toBeLessThan(words)
  expect(seen - without).toBeGreaterThan(words)
  expect(mostSeen - mostWithout).toBeGreaterThan(words)
})

describe('an everyday message', () => {
  const everyday = (completion: string, efforts: string[] = []) =>
    estimateEverydayMessage({
      windowTokens: null,
      prices: { prompt: '0', completion },
      controls: { temperature: true, outputTokensMax: null, efforts },
    })

  test('costs nothing only with a free model', () => {
    expect(everyday('0', ['high'])).toBe(0n)
    expect(everyday('0.000000000001')).toBe(1n)
  })

  test('has the same estimate as beside Send, reasoning included', () => {
    expect(everyday('0.000001')).toBe(400_000n)
    expect(everyday('0.000001', ['high', 'low'])).toBe(1_900_000n)
  })
})

test('no price is promised for whole files, whose tokens are unknown', () => {
  const most = (document: { url: string; whole?: boolean }) => {
    const part = {
      type: 'document_url' as const,
      document_url: { created_at: '', token_count: 9, ...document },
    }
    return mostOfMessage({ windowTokens: null, prices: PRICES }, [{ role: 'user', content: [part] }], 100)
  }
  expect(most({ url: 'document-store:1' })).not.toBeNull()
  expect(most({ url: 'document-store:1', whole: true })).toBeNull()
  expect(most({ url: 'https://elsewhere.example/x.pdf' })).toBeNull()
})

test('for a model that can draw, the promise covers the last picture whole, however short the answer may be', () => {
  const most = (id: string, answerTokenCount: number, prices: object = { image_output: '0.00003' }) =>
    mostOfMessage(
      { id, windowTokens: null, prices: { ...PRICES, completion: '0', ...prices } },
      [],
      answerTokenCount,
    )
  const read = most('gemini', 0) ?? 0n
  expect(most('gemini', 16)).toBe(read + 1_306n * 30_000n)
  expect(most('other', 16)).toBe(read + 8_208n * 30_000n)
  expect(most('other', 9_000)).toBe(read + 17_192n * 30_000n)
  expect(most('other', 16, {})).toBe(read)
})

test('a balance is converted to the length of answer that it pays for, or to what is missing', () => {
  fc.assert(
    fc.property(
      fc.array(message, { maxLength: 6 }),
      steering,
      controls,
      fc.bigInt({ min: 0n, max: 8_000_000n }),
      fc.boolean(),
      (messages, steered, has, balance, mayDraw) => {
        // A token in or out is a micro-dollar.
        const drawn = mayDraw && { image_output: '0.000001' }
        const model = {
          id: 'gemini',
          windowTokens: null,
          prices: { prompt: '0.000001', completion: '0.000001', ...drawn },
          controls: has,
        }
        const context = outgoingContext([...messages, { role: 'user', content: 'Why?' }], steered, null)
        const most = mostOutgoing(model, context, steered) ?? 0n
        const short = answerWithin(model, context, steered, balance)
        expect(short === null).toBe(balance >= most)
        if (!short) return
        if (short.missing > 0n) {
          expect(short.tokenCount).toBe(0)
          // With that much more there is an answer.
          expect(answerWithin(model, context, steered, balance + short.missing)?.missing ?? 0n).toBe(0n)
          return
        }
        // What is written costs no more than is there, as far as the server counts it.
        const written = mostOfMessage(model, context.messages, short.tokenCount, ESTIMATE_FACTOR) ?? 0n
        expect(written).toBeLessThanOrEqual(balance)
      },
    ),
    { numRuns: 500 },
  )
})

test('nothing is missing while the server would send the message, and what is missing is enough for any model', () => {
  const model = {
    id: 'text',
    windowTokens: null,
    prices: { prompt: '0.000001', completion: '0.000001' },
    controls: { temperature: true, outputTokensMax: null, efforts: [] },
  }
  const question: Message = { role: 'user', content: 'word '.repeat(1_000) }
  const context = outgoingContext([question], null, null, { everyChat: null })
  const tokenCount = countMessageTokens(question)
  const beside = 80 + 64
  const shortFor = (count: number) => answerWithin(model, context, null, BigInt(Math.ceil(count)) * 1_000n)
  const counted = tokenCount * 1.5 + beside
  expect(shortFor(counted)).toEqual({ tokenCount: 64, missing: 0n })
  const enough = BigInt(Math.ceil(tokenCount * 1.95 + beside)) * 1_000n
  const balance = BigInt(Math.ceil(counted) - 1) * 1_000n
  expect(shortFor(counted - 1)).toEqual({ tokenCount: 0, missing: enough - balance })
})
