import { describe, expect, jest, test } from '@jest/globals'
import { ApiCallError } from '@/lib/http/client/call-api'
import { HeldAudio } from './held-audio'
import { UnknownOutcomeError } from './paid-audio'
import { SpeechSource, type SpeechSourcePorts } from './speech-source'

const words = { modelId: 'a/voice', voiceId: 'rachel', text: 'Hello.' }
const bought = { audio: new Blob(['sound']), exchangeId: 'one', costUsd: null }

function setUp(held?: HeldAudio) {
  let made = 0
  const synthesize = jest.fn<SpeechSourcePorts['synthesize']>().mockResolvedValue(bought)
  const browser = { creditId: 'credit-1' }
  const begin = () => {
    made += 1
    return { creditId: browser.creditId, idempotencyKey: `key-${made}` }
  }
  const onBought = jest.fn()
  const source = new SpeechSource({ synthesize, begin, held })
  const keys = () => synthesize.mock.calls.map(([request]) => request.idempotencyKey)
  const payers = () => synthesize.mock.calls.map(([request]) => request.creditId)
  return { source, synthesize, onBought, keys, payers, browser }
}

describe('after a failure', () => {
  test('with an unknown charge, the same idempotency key is used again', async () => {
    const { source, synthesize, onBought, keys } = setUp()
    synthesize.mockRejectedValueOnce(new UnknownOutcomeError('network'))
    await expect(source.get(words, onBought)).rejects.toMatchObject({ code: 'network' })
    await source.get(words, onBought)
    expect(keys()).toEqual(['key-1', 'key-1'])
    expect(onBought).toHaveBeenCalledTimes(1)
  })

  test('with an unknown charge, the key stays until the server says what became of the first request', async () => {
    const { source, synthesize, onBought, keys } = setUp()
    const failures = (['rate_limited', 'insufficient_credit', 'conflict'] as const).map(
      code => new ApiCallError(code),
    )
    for (const failure of [new UnknownOutcomeError('network'), ...failures]) {
      synthesize.mockRejectedValueOnce(failure)
      await expect(source.get(words, onBought)).rejects.toBe(failure)
    }
    await source.get(words, onBought)
    expect(keys()).toEqual(['key-1', 'key-1', 'key-1', 'key-1', 'key-5'])
  })

  test('with an unknown charge, the retry uses the same credit even if another one is selected now', async () => {
    const { source, synthesize, onBought, keys, payers, browser } = setUp()
    synthesize.mockRejectedValueOnce(new UnknownOutcomeError('network'))
    await expect(source.get(words, onBought)).rejects.toMatchObject({ code: 'network' })
    browser.creditId = 'credit-2'
    await source.get(words, onBought)
    await source.get({ ...words, text: 'Goodbye.' }, onBought)
    expect(payers()).toEqual(['credit-1', 'credit-1', 'credit-2'])
    expect(keys().slice(0, 2)).toEqual(['key-1', 'key-1'])
  })

  test.each(['insufficient_credit', 'invalid_credential'] as const)(
    'with an unknown charge, another credit pays after the first is refused with %s',
    async code => {
      const { source, synthesize, onBought, keys, payers, browser } = setUp()
      synthesize.mockRejectedValueOnce(new UnknownOutcomeError('network'))
      await expect(source.get(words, onBought)).rejects.toMatchObject({ code: 'network' })
      browser.creditId = 'credit-2'
      synthesize.mockRejectedValueOnce(new ApiCallError(code))
      await source.get(words, onBought)
      expect(payers()).toEqual(['credit-1', 'credit-1', 'credit-2'])
      expect(new Set(keys()).size).toBe(2)
      expect(onBought).toHaveBeenCalledTimes(1)
    },
  )

  test('that the server reported, a new key is used, since the old one would repeat the failure', async () => {
    const { source, synthesize, onBought, keys } = setUp()
    synthesize.mockRejectedValueOnce(new ApiCallError('upstream_error'))
    await expect(source.get(words, onBought)).rejects.toMatchObject({ code: 'upstream_error' })
    await source.get(words, onBought)
    expect(keys()).toEqual(['key-1', 'key-2'])
  })
})

test('held sound is returned again without a request', async () => {
  const { source, synthesize, onBought } = setUp()
  expect(source.holds(words)).toBe(false)
  await source.get(words, onBought)
  expect(source.holds(words)).toBe(true)
  expect(await source.get(words, onBought)).toBe(bought.audio)
  expect(synthesize).toHaveBeenCalledTimes(1)
  expect(onBought.mock.calls).toEqual([[bought]])
})

test('two parallel calls share one request', async () => {
  const { source, synthesize, onBought } = setUp()
  await Promise.all([source.get(words, onBought), source.get(words, onBought)])
  expect(synthesize).toHaveBeenCalledTimes(1)
  expect(onBought).toHaveBeenCalledTimes(1)
})

test.each([
  ['another voice', { ...words, voiceId: 'bella' }],
  ['another model', { ...words, modelId: 'b/voice' }],
  ['other words', { ...words, text: 'Goodbye.' }],
])('%s is requested anew, under another key', async (_, others) => {
  const { source, onBought, keys } = setUp()
  await source.get(words, onBought)
  await source.get(others, onBought)
  expect(keys()).toEqual(['key-1', 'key-2'])
})

test('sound that was not held is bought again under a new key', async () => {
  const { source, onBought, keys } = setUp(new HeldAudio(1))
  await source.get(words, onBought)
  await source.get(words, onBought)
  expect(keys()).toEqual(['key-1', 'key-2'])
})
