import { expect, test } from '@jest/globals'
import { sealThought, unsealThought } from './thoughts'

test.each([
  { type: 'reasoning.text', text: 'Hm', signature: 'c2ln', format: 'anthropic-claude-v1' },
  { type: 'reasoning.text', text: 'Hm', format: 'unknown', index: 0 },
  { type: 'reasoning.summary', summary: 'Hm', format: 'openai-responses-v1', id: 'rs_1' },
])('%j comes back as it was, beside its words', thought => {
  const words = 'summary' in thought ? thought.summary : thought.text
  expect(unsealThought(sealThought(thought), { type: 'reasoning.text', text: words ?? '' })).toEqual(thought)
})

test.each([
  { type: 'reasoning.encrypted', data: 'AAAA', format: 'anthropic-claude-v1' },
  { type: 'reasoning.encrypted', data: 'AAAA', format: 'google-gemini-v1', id: 'call_1' },
])('%j comes back as it was', thought => {
  expect(unsealThought(sealThought(thought), { type: 'reasoning.encrypted' })).toEqual(thought)
})

test('a seal that is broken, and one that is missing, bring nothing back', () => {
  expect(unsealThought('thought-1.garbage', { type: 'reasoning.text', text: 'Hm' })).toBeNull()
  expect(unsealThought('', { type: 'reasoning.text', text: 'Hm' })).toBeNull()
  expect(unsealThought(null, { type: 'reasoning.encrypted' })).toBeNull()
})
