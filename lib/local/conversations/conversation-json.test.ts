import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { ContentPart, Conversation, Message } from '../domain/conversation'
import { conversationJson, growingConversationJson } from './conversation-json'

const parts: fc.Arbitrary<ContentPart[]> = fc.constant([{ type: 'text', text: '"' }])
const message: fc.Arbitrary<Message> = fc.record(
  {
    role: fc.constantFrom('user' as const, 'assistant' as const),
    content: fc.oneof(fc.string({ unit: 'grapheme' }), parts),
    id: fc.string(),
    parent: fc.option(fc.string()),
    model: fc.constant(undefined),
    receipt: fc.constant({ cost_usd: '0.1', input_token_count: 1, output_token_count: 2, estimated: false }),
  },
  { requiredKeys: ['role', 'content'] },
)
const conversation: fc.Arbitrary<Conversation> = fc.record(
  {
    id: fc.string(),
    created_at: fc.string(),
    messages: fc.array(message),
    branches: fc.option(fc.array(message), { nil: undefined }),
    title: fc.option(fc.string(), { nil: undefined }),
    earlier_messages_max: fc.nat(),
  },
  { requiredKeys: ['id', 'created_at', 'messages'] },
)

test('a growing conversation is written exactly as JSON.stringify would', () => {
  fc.assert(
    fc.property(conversation, message, (before, added) => {
      const grown = { ...before, messages: [...before.messages, added] }
      for (const one of [before, grown]) {
        expect(growingConversationJson(one)).toBe(JSON.stringify(one))
        expect(conversationJson(one)).toBe(JSON.stringify(one))
      }
    }),
  )
})

test('only the new part of a growing conversation is stringified', () => {
  let readCount = 0
  const counted: Message = {
    role: 'user',
    get content() {
      readCount += 1
      return 'Why?'
    },
  }
  const before = { id: 'c', created_at: '2026-11-22T00:00:00.000Z', messages: [counted] }
  growingConversationJson(before)
  growingConversationJson({ ...before, messages: [counted, { role: 'assistant', content: 'So.' }] })
  expect(readCount).toBe(1)
})
