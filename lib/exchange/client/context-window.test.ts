import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { Message } from '@/lib/local/domain/conversation'
import { chooseContext } from './context-window'
import { estimateEverydayMessage, estimateMessage } from './estimate-message'
import { countMessageTokens } from './message-tokens'

const message = fc.record({
  role: fc.constantFrom<Message['role'][]>('user', 'assistant', 'system'),
  content: fc.string({ maxLength: 200 }),
}) satisfies fc.Arbitrary<Message>

const question = { role: 'user', content: 'x'.repeat(4000) } satisfies Message

describe('the context window', () => {
  test('an empty conversation sends nothing', () => {
    expect(chooseContext([], 2048)).toEqual([])
  })

  test('a question longer than the window is sent whole and alone', () => {
    const messages: Message[] = [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b' },
      question,
    ]
    expect(chooseContext(messages, 10)).toEqual([question])
  })

  test('an answer whose question did not fit is left out too', () => {
    const answer: Message = { role: 'assistant', content: 'short' }
    const last: Message = { role: 'user', content: 'and now?' }
    expect(chooseContext([question, answer, last], 100)).toEqual([last])
  })

  test('instructions stay when old questions go', () => {
    const instructions: Message = { role: 'system', content: 'Be brief.' }
    const last: Message = { role: 'user', content: 'and now?' }
    expect(chooseContext([instructions, question, last], 100)).toEqual([instructions, last])
  })

  test('keeps the order and the last message, and fits whenever that message does', () => {
    fc.assert(
      fc.property(
        fc.array(message, { minLength: 1 }),
        fc.integer({ min: 0, max: 500 }),
        (messages, limit) => {
          const last: Message = { role: 'user', content: 'the question' }
          const all = [...messages, last]
          const kept = chooseContext(all, limit)
          expect(kept.at(-1)).toBe(last)
          expect(all.filter(one => kept.includes(one))).toEqual(kept)
          const tokenCount = kept.reduce((sum, one) => sum + countMessageTokens(one), 0)
          expect(tokenCount <= limit || kept.length === 1).toBe(true)
          expect(kept.find(({ role }) => role !== 'system')?.role).toBe('user')
        },
      ),
    )
  })
})

describe('the estimate', () => {
  test('is missing rather than zero when a price is not understood', () => {
    expect(estimateMessage({ prompt: 'free', completion: '0.1' }, [question])).toBeNull()
  })

  test('counts question, answer and the price per request', () => {
    const prices = { prompt: '0.000001', completion: '0.000002', request: '0.01' }
    expect(estimateMessage(prices, [question])).toBe(924_000n + 800_000n + 10_000_000n)
  })

  test('a longer conversation never costs less', () => {
    const prices = { prompt: '0.00000015', completion: '0.0000006' }
    fc.assert(
      fc.property(fc.array(message), message, (messages, more) => {
        const before = estimateMessage(prices, messages) ?? -1n
        const after = estimateMessage(prices, [...messages, more]) ?? -1n
        expect(after > before).toBe(true)
      }),
    )
  })

  test('of an everyday message is zero only for a free model', () => {
    expect(estimateEverydayMessage({ prompt: '0', completion: '0' })).toBe(0n)
    expect(estimateEverydayMessage({ prompt: '0', completion: '0.000000000001' })).toBe(1n)
  })
})
