import { expect, test } from '@jest/globals'
import { anthropicModelId, anthropicModelNames } from './model-names'

test.each([
  ['claude-sonnet-4-5-20250929', 'anthropic/claude-sonnet-4.5'],
  ['claude-sonnet-4-5', 'anthropic/claude-sonnet-4.5'],
  ['claude-opus-4-1-20250805', 'anthropic/claude-opus-4.1'],
  ['claude-sonnet-4-20250514', 'anthropic/claude-sonnet-4'],
  ['claude-sonnet-4-0', 'anthropic/claude-sonnet-4'],
  ['claude-3-5-haiku-latest', 'anthropic/claude-3.5-haiku'],
  ['claude-3-7-sonnet-20250219', 'anthropic/claude-3.7-sonnet'],
  ['claude-3-haiku-20240307', 'anthropic/claude-3-haiku'],
  ['claude-opus-4-6[1m]', 'anthropic/claude-opus-4.6'],
  ['anthropic/claude-sonnet-4.5', 'anthropic/claude-sonnet-4.5'],
])('%s can stand for %s in the catalogue', (asked, listed) => {
  expect(anthropicModelNames(asked)).toContain(listed)
})

test('the exact name is tried first, and names of other makers have no alternatives', () => {
  expect(anthropicModelNames('claude-sonnet-4-20250514')[0]).toBe('claude-sonnet-4-20250514')
  expect(anthropicModelNames('openai/gpt-5-1')).toEqual(['openai/gpt-5-1'])
  // Another generation is another model, at another price.
  expect(anthropicModelNames('claude-sonnet-4-5')).not.toContain('anthropic/claude-sonnet-4')
})

test.each([
  ['anthropic/claude-sonnet-4.5', 'claude-sonnet-4-5'],
  ['anthropic/claude-3.5-haiku', 'claude-3-5-haiku'],
  ['anthropic/claude-3.7-sonnet:thinking', 'claude-3-7-sonnet:thinking'],
  ['anthropic/claude-opus-4', 'claude-opus-4'],
  ['claude-haiku-4-5', 'claude-haiku-4-5'],
  ['openai/gpt-5.2', 'openai/gpt-5.2'],
  ['anthropic/other-1.5', 'anthropic/other-1.5'],
])('%s is listed as %s, and found by that name', (modelId, called) => {
  expect(anthropicModelId(modelId)).toBe(called)
  expect(anthropicModelNames(called)).toContain(modelId)
})
