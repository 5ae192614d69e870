import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { Message } from '@/lib/local/domain/conversation'
import { mostOutgoing, outgoingContext } from './outgoing'
import { priceLines } from './price-lines'

const price = fc.integer({ min: 0, max: 200_000 }).map(nano => (nano / 1e9).toFixed(9))
const message: fc.Arbitrary<Message> = fc.record({
  role: fc.constantFrom<Message['role']>('user', 'assistant', 'system'),
  content: fc.string({ unit: 'grapheme', maxLength: 300 }),
  left_out: fc.constantFrom(true, undefined),
})

test('the lines that explain a price add up exactly to the promise, and none is negative', () => {
  fc.assert(
    fc.property(
      fc.array(message, { maxLength: 12 }),
      fc.string({ maxLength: 500 }),
      fc.record({ prompt: price, completion: price, request: price, input_cache_read: price }),
      fc.option(fc.string({ maxLength: 100 })),
      fc.integer({ min: 1, max: 4_000 }),
      fc.option(fc.nat(11)),
      (before, content, prices, everyChat, maxContextTokens, summarisedIndex) => {
        const model = {
          windowTokens: null,
          prices,
          controls: { temperature: true, outputTokensMax: null, efforts: [] },
        }
        const said: Message[] = [...before, { role: 'user' as const, content }].map((one, index) => ({
          ...one,
          id: `m${index}`,
        }))
        const branches: Message[] = [
          {
            role: 'assistant',
            content: 'Short.',
            parent: `m${summarisedIndex}`,
            summarises: true,
            status: 'completed',
          },
        ]
        const context = outgoingContext(said, { branches }, null, { maxContextTokens, everyChat })
        const lines = priceLines(model, context, null)
        if (!lines) throw new Error('a price that is understood')
        const { message: own, earlier, summary, instructions, answer, most } = lines
        expect(own + earlier + summary + instructions + answer).toBe(most)
        expect(most).toBe(mostOutgoing(model, context, null))
        expect(summary > 0n).toBe(context.fromIndex > 0 && Number(prices.prompt) > 0)
        for (const part of [own, earlier, summary, instructions, answer]) expect(part >= 0n).toBe(true)
        expect(context.messages.slice(0, -1).some(one => one.left_out)).toBe(false)
        expect(lines.whileCached === null || lines.whileCached <= (lines.again ?? 0n)).toBe(true)
      },
    ),
  )
})
