import { expect, test } from '@jest/globals'
import { mergeModels } from '@/lib/catalogue/domain/merge-models'
import { parseUpstreamModels } from '@/lib/catalogue/domain/parse-upstream-models'
import { ZERO } from '@/lib/money/decimal'
import { SANDBOX_MODELS } from './sandbox-models'

test('the catalogue reads every practice model as usable and of its kind', () => {
  const models = parseUpstreamModels(JSON.stringify({ data: SANDBOX_MODELS }))
  const lists = [{ upstreamId: 'sandbox', models, free: false }]
  const usable = mergeModels({ lists, operatorModels: new Map(), priceMarkup: ZERO })
  expect(usable.map(model => [model.id, model.kind])).toEqual([
    ['sandbox/penny', 'chat'],
    ['sandbox/quarter', 'chat'],
    ['sandbox/dollar', 'chat'],
    ['sandbox/free', 'chat'],
    ['sandbox/painter', 'image'],
    ['sandbox/voice', 'speech'],
    ['sandbox/transcriber', 'transcription'],
    ['sandbox/embedder', 'embedding'],
  ])
})
