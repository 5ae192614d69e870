import { expect, test } from '@jest/globals'
import { estimatePrompt } from './estimate-prompt'

const asking = (part: { type: string; [field: string]: unknown }) =>
  estimatePrompt({ model: 'm', messages: [{ role: 'user', content: [part] }] })

test('a file that nobody counted is guessed by its size, and never nothing', () => {
  expect(asking({ type: 'file', file: { file_data: 'https://example.com/a.pdf' } })).toBe(1_004)
  expect(asking({ type: 'file', file: null })).toBe(1_004)
  expect(asking({ type: 'file', file: { file_data: 'A'.repeat(400_000) } })).toBe(10_004)
  expect(asking({ type: 'input_file', file_data: 'A'.repeat(400_000) })).toBe(10_004)
})
