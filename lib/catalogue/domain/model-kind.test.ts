import { expect, test } from '@jest/globals'
import { modelKind } from './model-kind'

test.each([
  ['openai/gpt-4o', ['text'], 'chat'],
  ['google/gemini-2.5-flash-image', ['image', 'text'], 'chat'],
  ['openai/gpt-4o-audio-preview', ['text', 'audio'], 'chat'],
  ['black-forest-labs/flux.2-pro', ['image'], 'image'],
  ['some/voice', ['audio'], 'speech'],
  ['openai/whisper-1', ['text'], 'transcription'],
  ['some/embedder', ['embeddings'], null],
  ['llama3.2:latest', null, 'chat'],
  ['whisper-1', null, 'transcription'],
  ['gpt-4o-mini-transcribe', null, 'transcription'],
  ['tts-1-hd', null, 'speech'],
  ['gpt-4o-mini-tts', null, 'speech'],
  ['dall-e-3', null, 'image'],
  ['gpt-image-1', null, 'image'],
  ['text-embedding-3-small', null, null],
  ['omni-moderation-latest', null, null],
  ['mistral/attstral', null, 'chat'],
])('%s with outputs %j is %s', (id, outputs, kind) => {
  expect(modelKind(id, outputs)).toBe(kind)
})
