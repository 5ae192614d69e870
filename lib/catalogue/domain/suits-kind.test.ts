import { expect, test } from '@jest/globals'
import { ZERO } from '@/lib/money/decimal'
import { ELEVENLABS_LIST } from '@/lib/speech/domain/elevenlabs-models'
import { mergeModels } from './merge-models'
import { parseModelPrices } from './parse-model-prices'
import { suitsKind } from './suits-kind'
import { decimal, somePrices } from './testing'
import { usablePrices } from './usable-prices'

test.each([
  ['chat', { inputCharacter: '0.00001' }, false],
  ['chat', { inputSecond: '0.00001' }, false],
  ['image', { inputSecond: '0.00001' }, false],
  ['chat', { prompt: '0.00001' }, true],
  ['chat', {}, true],
  ['chat', { request: '0.01' }, true],
  ['chat', { inputCacheWrite: '0.00001' }, false],
  ['chat', { inputAudio: '0.00001' }, false],
  ['chat', { outputImage: '0.00001' }, false],
  ['chat', { image: '0.01' }, false],
  ['chat', { internalReasoning: '0.00001' }, false],
  ['chat', { webSearch: '0.01' }, false],
  ['chat', { webSearch: '0.01', completion: '0.00001' }, true],
  ['chat', { inputCharacter: '0', prompt: '0.00001' }, false],
  ['image', { inputImage: '0.00001' }, false],
  ['image', { image: '0.04', inputImage: '0.00001' }, true],
  ['speech', { inputCharacter: '0.00001', outputAudio: '0.00001' }, false],
  ['speech', { inputAudio: '0.00001' }, false],
  ['transcription', { inputSecond: '0.00001', inputAudio: '0.00001' }, false],
  ['transcription', { webSearch: '0.01' }, false],
  ['speech', { inputCharacter: '0.00001' }, true],
  ['speech', { prompt: '0.00001' }, true],
  ['speech', { inputCharacter: '0.00001', completion: '0.00001' }, false],
  ['speech', { inputSecond: '0.00001' }, false],
  ['transcription', { inputSecond: '0.00001' }, true],
  ['transcription', { inputSecond: '0.00001', recordingMin: '0.0001' }, true],
  ['speech', { inputCharacter: '0.00001', recordingMin: '0.0001' }, false],
  ['transcription', {}, true],
  ['transcription', { prompt: '0.00001' }, true],
  ['transcription', { prompt: '0.00001', completion: '0.00004', inputAudio: '0.00002' }, true],
  ['transcription', { prompt: '0.00001', inputSecond: '0.00001' }, false],
  ['transcription', { prompt: '0.00001', inputSecond: '0' }, false],
  ['transcription', { prompt: '0.00001', recordingMin: '0.0001' }, false],
  ['transcription', { prompt: '0.00001', internalReasoning: '0.00001' }, false],
  ['transcription', { inputCharacter: '0.00001' }, false],
  ['embedding', { prompt: '0.00001' }, true],
  ['embedding', { completion: '0.00001' }, false],
  ['embedding', { prompt: '0.00001', inputCharacter: '0' }, false],
] as const)('%s at %j can be charged: %p', (kind, prices, suits) => {
  expect(suitsKind(kind, somePrices(prices))).toBe(suits)
})

test('a price that applies only at times counts as a price', () => {
  const atTimes = (name: 'prompt' | 'inputAudio') =>
    somePrices({}, [{ inputTokenCountAbove: 10, window: null, prices: { [name]: decimal('0.00001') } }])
  expect(suitsKind('chat', atTimes('prompt'))).toBe(true)
  expect(suitsKind('chat', atTimes('inputAudio'))).toBe(false)
  expect(suitsKind('speech', atTimes('inputAudio'))).toBe(false)
})

test('a price per character or second replaces the token prices, and one token price alone does not', () => {
  expect(usablePrices({ input_character: '0.00001' })).toMatchObject({ prompt: ZERO, completion: ZERO })
  expect(usablePrices({ input_second: '0.00001' })).not.toBeNull()
  expect(usablePrices({ prompt: '0.00001' })).toBeNull()
  for (const bad of ['-1', '-0', '1e309', '2', 'free', '']) {
    expect(usablePrices({ input_character: bad })).toBeNull()
    expect(usablePrices({ prompt: '0', completion: '0', input_second: bad })).toBeNull()
  }
})

const operatorModels = (prices: Record<string, Record<string, string>>) => {
  const parsed = parseModelPrices(JSON.stringify(prices))
  if (parsed.outcome === 'malformed') throw new Error(parsed.problem)
  return parsed.models
}

test('prices of ElevenLabs models can be changed, added and marked up by the operator', () => {
  const models = mergeModels({
    lists: [{ upstreamId: 'unlisted', models: null, free: false }, ELEVENLABS_LIST],
    operatorModels: operatorModels({
      'elevenlabs/eleven_v3': { input_character: '0.0003' },
      'elevenlabs/eleven_v9': { input_character: '0.0009' },
      'tts-1': { input_character: '0.000015' },
    }),
    priceMarkup: decimal('0.1'),
  })
  const priceOf = (id: string) => models.find(model => model.id === id)?.prices.inputCharacter
  expect(priceOf('elevenlabs/eleven_v3')).toEqual(decimal('0.00033'))
  expect(priceOf('elevenlabs/eleven_flash_v2_5')).toEqual(decimal('0.000055'))
  expect(models.filter(({ upstreamIds }) => upstreamIds.includes('unlisted')).map(({ id }) => id)).toEqual([
    'tts-1',
  ])
  expect(models.find(({ id }) => id === 'elevenlabs/eleven_v9')).toMatchObject({
    kind: 'speech',
    upstreamIds: ['elevenlabs'],
  })
  expect(models.find(({ id }) => id === 'elevenlabs/scribe_v2')).toMatchObject({ kind: 'transcription' })
})
