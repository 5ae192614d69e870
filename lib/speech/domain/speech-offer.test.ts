import { describe, expect, test } from '@jest/globals'
import { chooseVoice, OWN_SERVICE, readingService, speechServices } from './choose-voice'
import { cheapestListener, estimateSpeech, priceListening } from './estimate-speech'
import {
  type OfferedVoice,
  parseListeningModels,
  parseSpeechModels,
  parseVoices,
  type SpeechModel,
} from './speech-offer'

const UNPRICED = { second: '0', sound: '0', written: '0', least: '0', request: '0' }

describe('a list', () => {
  test.each([null, 'text', [], {}, { data: null }, { data: [null, 3, {}] }])('%j is empty', body => {
    expect(parseSpeechModels(body)).toEqual([])
    expect(parseVoices(body)).toEqual([])
    expect(parseListeningModels(body)).toEqual([])
  })

  test('of audio models gives the speech models with a price', () => {
    const data = [
      { id: 'a/voice', type: 'speech', pricing: { input_character: '0.00001', request: '0.001' } },
      { id: 'a/ears', type: 'transcription', pricing: { input_second: '0', prompt: '0' } },
      { id: 'a/unpriced', type: 'speech', pricing: {} },
      { id: 'a/tokens', type: 'speech', pricing: { prompt: '0.000001' } },
    ]
    expect(parseSpeechModels({ data })).toEqual([
      { id: 'a/voice', prices: { character: '0.00001', prompt: '0', request: '0.001' } },
      { id: 'a/tokens', prices: { character: null, prompt: '0.000001', request: '0' } },
    ])
  })

  test('of audio models gives the transcription models', () => {
    const data = [
      { id: 'a/voice', type: 'speech', pricing: { input_character: '0.00001' } },
      { id: 'a/ears', type: 'transcription', pricing: { input_second: '0.0001', recording_min: '0.001' } },
      { id: 'a/call', type: 'transcription', pricing: { request: '0.002' } },
      { id: 'a/tokens', type: 'transcription', pricing: { prompt: '0.000002', completion: '0.00001' } },
      { id: 'a/sound', type: 'transcription', pricing: { prompt: '0.000002', audio: '0.000006' } },
      { id: 'a/zero', type: 'transcription', pricing: { prompt: '0.000002', audio: '0' } },
    ]
    expect(parseListeningModels({ data })).toEqual([
      { id: 'a/ears', prices: { ...UNPRICED, second: '0.0001', least: '0.001' } },
      { id: 'a/call', prices: { ...UNPRICED, request: '0.002' } },
      { id: 'a/tokens', prices: { ...UNPRICED, sound: '0.000002', written: '0.00001' } },
      { id: 'a/sound', prices: { ...UNPRICED, sound: '0.000006' } },
      { id: 'a/zero', prices: { ...UNPRICED, sound: '0.000002' } },
    ])
  })

  test('shows the highest price if it depends on the hour, like the hold and the charge', () => {
    const overrides = [
      { utc_start: '08:00', utc_end: '20:00', input_second: '0.0003', prompt: '0.000002' },
      { utc_start: '02:00', utc_end: '03:00', input_second: '0.00001', request: 'x' },
    ]
    const data = [
      { id: 'a/ears', type: 'transcription', pricing: { input_second: '0.0001', overrides } },
      { id: 'a/tokens', type: 'speech', pricing: { prompt: '0.000001', overrides } },
    ]
    expect(parseListeningModels({ data })[0]?.prices).toMatchObject({ second: '0.0003' })
    expect(parseSpeechModels({ data })[0]?.prices).toEqual({
      character: null,
      prompt: '0.000002',
      request: '0',
    })
  })

  test('of voices gives those with an id, and their details', () => {
    const data = [
      { id: 'rachel', name: 'Rachel', language: 'en', models: ['flash', 7] },
      { id: '' },
      { id: 'x' },
    ]
    expect(parseVoices({ data })).toEqual([
      { id: 'rachel', name: 'Rachel', language: 'en', modelIds: ['flash'] },
      { id: 'x', name: 'x', language: '', modelIds: [] },
    ])
  })
})

const model = (id: string): SpeechModel => ({
  id,
  prices: { character: '0', prompt: '0', request: '0' },
})
const voice = (id: string, modelIds: string[] = []): OfferedVoice => ({
  id,
  name: id,
  language: '',
  modelIds,
})

describe('the voice to read with', () => {
  const preference = { voiceId: 'rachel', provider: 'elevenlabs' }

  test('is none without a speech model', () => {
    expect(chooseVoice({ models: [], voices: [voice('rachel')] }, preference)).toBeNull()
  })

  test.each([
    [
      'the wished one, with a model that has it',
      [voice('alloy', ['a']), voice('rachel', ['b'])],
      'b',
      'rachel',
    ],
    ['the first offered, if the wished one is not', [voice('alloy', ['b']), voice('nova')], 'b', 'alloy'],
    ['never one whose models are not offered', [voice('alloy', ['gone']), voice('nova')], 'a', 'nova'],
    ['the wished one untested, if no list is to be had', null, 'a', 'rachel'],
    ['the wished one untested, if the list is empty', [], 'a', 'rachel'],
  ])('is %s', (_, voices, modelId, voiceId) => {
    const choice = chooseVoice({ models: [model('a'), model('b')], voices }, preference)
    expect([choice?.model.id, choice?.voiceId]).toEqual([modelId, voiceId])
  })

  describe('with several services', () => {
    const models = [model('openai/tts'), model('elevenlabs/flash'), model('elevenlabs/multilingual')]
    const voices = [
      voice('alloy', ['openai/tts']),
      voice('bella', ['elevenlabs/multilingual']),
      voice('rachel', ['elevenlabs/flash']),
    ]
    const chosenOf = (provider: string, voiceId: string, listed: readonly OfferedVoice[] | null = voices) => {
      const chosen = chooseVoice({ models, voices: listed }, { provider, voiceId })
      return [chosen?.model.id, chosen?.voiceId]
    }

    test('is one of the chosen service, even if another one has the preferred voice', () => {
      expect(chosenOf('openai', 'rachel')).toEqual(['openai/tts', 'alloy'])
      expect(chosenOf('elevenlabs', 'alloy')).toEqual(['elevenlabs/multilingual', 'bella'])
      expect(chosenOf('elevenlabs', 'rachel')).toEqual(['elevenlabs/flash', 'rachel'])
      expect(chosenOf('elevenlabs', 'mine', null)).toEqual(['elevenlabs/flash', 'mine'])
    })

    test('is one of the first service if the site does not offer the chosen one', () => {
      expect(chosenOf('azure', 'rachel')).toEqual(['openai/tts', 'alloy'])
      expect(readingService(models, 'azure')).toBe('openai')
    })
  })

  test('lists the service of each model once', () => {
    const models = [model('openai/tts'), model('tts-1'), model('openai/tts-hd'), model('tts-1-hd')]
    expect(speechServices(models)).toEqual(['openai', OWN_SERVICE])
    expect(speechServices([])).toEqual([])
    expect(readingService([], 'openai')).toBeNull()
  })
})

describe('the estimate', () => {
  const free = { character: '0', prompt: '0', request: '0' }

  test.each(['', 'free', 'NaN'])('is unknown for the price "%s"', character => {
    expect(estimateSpeech({ ...free, character }, ['Hello'])).toBeNull()
    expect(estimateSpeech({ ...free, request: character }, ['Hello'])).toBeNull()
  })

  test('is the sum over all requests, each rounded up, with an emoji as one character', () => {
    expect(estimateSpeech({ ...free, character: '0.00001', request: '0.001' }, ['Hello', 'you 👍'])).toBe(
      2_100_000n,
    )
    expect(estimateSpeech({ ...free, character: '0.0000000001' }, ['a', 'b'])).toBe(2n)
    expect(estimateSpeech(free, ['Hello'])).toBe(0n)
  })

  test('counts tokens if the model is charged by tokens', () => {
    expect(estimateSpeech({ ...free, character: null, prompt: '0.000001' }, ['eight ch'])).toBe(2_000n)
  })
})

describe('the price of transcription', () => {
  const ears = (id: string, second: string, request = '0', least = '0') => ({
    id,
    name: id,
    prices: { ...UNPRICED, second, least, request },
  })

  test('is shown per started second, as it is charged', () => {
    expect(priceListening(ears('a', '0.0001', '0.001').prices, 2.1)).toBe(1_300_000n)
    expect(priceListening(ears('a', '0.0001').prices, 0)).toBe(100_000n)
    expect(priceListening(ears('a', '0.0001', '0.001', '0.002').prices, 2.1)).toBe(3_000_000n)
    expect(priceListening(ears('a', '0.0001', '0.001', '0.002').prices, 21)).toBe(3_100_000n)
    expect(priceListening(ears('a', 'much').prices, 1)).toBeNull()
    expect(priceListening(ears('a', '0.0001', '0', 'little').prices, 1)).toBeNull()
  })

  test('is shown by the tokens that are likely, if it is charged by those', () => {
    const prices = { ...UNPRICED, sound: '0.000002', written: '0.00001', request: '0.001' }
    expect(priceListening(prices, 9.5)).toBe(1_840_000n)
    expect(priceListening({ ...prices, written: 'x' }, 1)).toBeNull()
  })

  test('is that of the model with the lowest price per minute', () => {
    const models = [
      ears('unclear', ''),
      ears('dear', '0.0002'),
      ears('cheap', '0.0001'),
      ears('call', '0', '0.01'),
    ]
    expect(cheapestListener(models)?.id).toBe('cheap')
    expect(cheapestListener([])).toBeNull()
  })
})
