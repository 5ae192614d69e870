import { expect, test } from '@jest/globals'
import { alwaysSearches, modelKind, reasonsByName } from './model-kind'

test.each([
  ['openai/gpt-4o', ['text'], 'chat'],
  ['google/gemini-2.5-flash-image', ['image', 'text'], 'chat'],
  ['openai/gpt-4o-audio-preview', ['text', 'audio'], 'chat'],
  ['black-forest-labs/flux.2-pro', ['image'], 'image'],
  ['some/voice', ['audio'], 'speech'],
  ['openai/whisper-1', ['text'], 'transcription'],
  ['some/embedder', ['embeddings'], 'embedding'],
  ['some/embedder', ['embedding'], 'embedding'],
  ['llama3.2:latest', null, 'chat'],
  ['whisper-1', null, 'transcription'],
  ['gpt-4o-mini-transcribe', null, 'transcription'],
  ['tts-1-hd', null, 'speech'],
  ['gpt-4o-mini-tts', null, 'speech'],
  ['dall-e-3', null, 'image'],
  ['gpt-image-1', null, 'image'],
  ['text-embedding-3-small', null, 'embedding'],
  ['nomic-embed-text', null, 'embedding'],
  ['omni-moderation-latest', null, null],
  ['mistral/attstral', null, 'chat'],
])('%s with outputs %j is %s', (id, outputs, kind) => {
  expect(modelKind(id, outputs)).toBe(kind)
})

test.each([
  'o1',
  'o3-mini',
  'openai/o4-mini-high',
  '~openai/o3',
  'gpt-5',
  'openai/gpt-5.2-codex',
  'gpt-oss:20b',
  'deepseek-r1:7b',
  'deepseek/deepseek-r1-0528',
  'deepseek-reasoner',
  'deepseek-ai/DeepSeek-V3.1',
  'qwq-32b',
  'Qwen/Qwen3-235B-A22B-Thinking-2507',
  'qwen3:8b',
  'magistral-small-2509',
  'microsoft/phi-4-reasoning-plus',
  'moonshotai/kimi-k2-thinking',
  'gemini-2.5-flash',
  'claude-sonnet-4-5',
  'anthropic/claude-3.7-sonnet',
  'x-ai/grok-4',
  'z-ai/glm-4.6',
])('%s is assumed to reason if nothing says otherwise', id => {
  expect(reasonsByName(id)).toBe(true)
})

test.each([
  'gpt-4o',
  'gpt-4.1-mini',
  'gpt-3.5-turbo',
  'llama3.2:latest',
  'meta-llama/llama-3.3-70b-instruct',
  'mistral-small-latest',
  'claude-3-haiku-20240307',
  'gemini-1.5-pro',
  'qwen2.5:7b',
  'solo1',
  'phi-4',
  'vendor/model-o10x',
])('%s is assumed not to reason, by its name', id => {
  expect(reasonsByName(id)).toBe(false)
})

test.each([
  ['perplexity/sonar-pro', true],
  ['openai/gpt-4o-mini-search-preview', true],
  ['openai/gpt-4o:online', true],
  ['openai/gpt-4o', false],
  ['vendor/research-assistant', false],
])('%s searches automatically: %p', (id, searches) => {
  expect(alwaysSearches(id)).toBe(searches)
})
