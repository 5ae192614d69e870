import { expect, test } from '@jest/globals'
import { sealThought } from '../thoughts'
import { redactedData, redactedThought, signatureOf, signedThought } from './signatures'

test.each([
  { type: 'reasoning.text', text: 'Hm', signature: 'c2ln', format: 'anthropic-claude-v1' },
  { type: 'reasoning.text', text: 'Hm', format: 'unknown', index: 0 },
  { type: 'reasoning.summary', summary: 'Hm', format: 'openai-responses-v1', id: 'rs_1' },
])('%j is restored from its text and its signature', thought => {
  expect(signedThought('Hm', signatureOf(thought))).toEqual(thought)
})

test.each([
  { type: 'reasoning.encrypted', data: 'AAAA', format: 'anthropic-claude-v1' },
  { type: 'reasoning.encrypted', data: 'AAAA', format: 'google-gemini-v1', id: 'call_1' },
])('%j is restored from redacted thinking', thought => {
  expect(redactedThought(redactedData(thought))).toEqual(thought)
})

test('an Anthropic signature stays as it is, and a broken or missing seal restores nothing', () => {
  expect(signatureOf({ type: 'reasoning.text', signature: 'c2ln', format: 'anthropic-claude-v1' })).toBe(
    'c2ln',
  )
  expect(signedThought('Hm', 'thought-1.garbage')).toBeNull()
  expect(signedThought('Hm', '')).toBeNull()
})

test.each<[string, Record<string, unknown>]>([
  ['keys', Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`key${index}`, 1]))],
  ['values', { list: Array(1_000).fill(1) }],
  ['depth', { list: JSON.parse(`${'['.repeat(1_000)}${']'.repeat(1_000)}`) }],
])('a seal that unpacks to too many %s restores nothing', (_, thought) => {
  expect(signedThought('Hm', sealThought(thought))).toBeNull()
  expect(redactedThought(sealThought(thought))).toBeNull()
})
