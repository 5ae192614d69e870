import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { formatUsd } from '@/lib/money/nano'
import type { Conversation, Message } from './conversation'
import { conversationCost } from './conversation-cost'

const answer = (nano: bigint, spokenNano: bigint | null): Message => ({
  role: 'assistant',
  content: 'x',
  receipt: { cost_usd: formatUsd(nano), input_token_count: 1, output_token_count: 1, estimated: false },
  ...(spokenNano !== null && { speech_receipt: { cost_usd: formatUsd(spokenNano) } }),
})
const amount = fc.bigInt({ min: 0n, max: 10n ** 15n })
const paid = fc.array(fc.tuple(amount, fc.option(amount)), { maxLength: 12 })
const conversation = (messages: Message[], branches?: Message[]): Conversation => ({
  id: 'c',
  created_at: '2026-11-01T00:00:00.000Z',
  messages,
  branches,
})

test('a conversation costs the exact sum of its answers on every branch', () => {
  fc.assert(
    fc.property(paid, paid, (shown, beside) => {
      const all = [...shown, ...beside]
      const question: Message = { role: 'user', content: 'x' }
      const answers = (list: typeof shown) => [
        question,
        ...list.map(([nano, spoken]) => answer(nano, spoken)),
      ]
      expect(conversationCost(conversation(answers(shown), answers(beside)))).toEqual({
        usd: formatUsd(all.reduce((sum, [nano, spoken]) => sum + nano + (spoken ?? 0n), 0n)),
        answerCount: all.length,
      })
    }),
  )
})

test('an invalid amount adds nothing', () => {
  const odd = answer(5n, null)
  const broken = { ...odd, receipt: odd.receipt && { ...odd.receipt, cost_usd: 'NaN' } }
  expect(conversationCost(conversation([odd, broken]))).toEqual({ usd: '0.000000005', answerCount: 2 })
})
