import { describe, expect, jest, test } from '@jest/globals'
import type { Model } from '@/lib/catalogue/domain/model'
import { someModel } from '@/lib/catalogue/domain/testing'
import { standInSettings } from '@/test/support/exchange-site'
import { useStandIns } from '@/test/support/stand-in-upstream'
import { createVoices } from './create-voices'

const MODELS: Model[] = [
  someModel({ id: 'vendor/tts-1', kind: 'speech' }),
  someModel({ id: 'elevenlabs/eleven_v3', kind: 'speech', upstreamIds: ['elevenlabs'] }),
  someModel({ id: 'sandbox/voice', name: 'Hummer', kind: 'speech', upstreamIds: ['sandbox'] }),
  someModel({ id: 'vendor/whisper', kind: 'transcription' }),
]
const SPEECH_ALONE = new Set(['previewUrl', 'language', 'description'])

describe('the list of voices', () => {
  const standIns = useStandIns()
  const open = (models = MODELS) => {
    const clock = { now: 0 }
    const report = jest.fn<(message: string) => void>()
    const elevenLabs = {
      ...standInSettings(standIns.elevenLabs, 'elevenlabs'),
      apiKey: standIns.elevenLabs.apiKey,
    }
    const catalogue = {
      listModels: async () => models,
      findModel: async () => null,
      secondsToMissingList: async () => null,
    }
    const keepAlive = jest.fn<(work: Promise<unknown>) => void>()
    const list = createVoices({ catalogue, elevenLabs, now: () => clock.now, keepAlive, report })
    return { list, clock, keepAlive, report }
  }
  const AWAY = { voices: { status: 500, body: { detail: 'sk_elevenlabs_secret' } } }

  test('has the voices of every page of ElevenLabs, and only safe links to samples', async () => {
    const voices = await open().list()
    expect(voices.filter(({ models }) => models.includes('elevenlabs/eleven_v3'))).toEqual([
      {
        id: 'JBFqnCBsd6RMkjVDRZzb',
        name: 'George',
        language: 'en',
        description: 'Warm resonance that instantly captivates listeners.',
        previewUrl: 'https://storage.example/JBFqnCBsd6RMkjVDRZzb.mp3',
        models: ['elevenlabs/eleven_v3'],
      },
      expect.objectContaining({ name: 'Sarah' }),
      expect.objectContaining({ name: 'Adam', description: null, previewUrl: null }),
      expect.objectContaining({ name: 'Iris' }),
    ])
  })

  test('leaves out voices that cost, or may cost, more than their model’s price', async () => {
    const told = (id: string, sharing: unknown) => ({ voice_id: id, name: id, sharing })
    const voices = [
      told('own', null),
      told('usual', { rate: 1 }),
      told('double', { rate: 2 }),
      told('in-dollars', { rate: 1, fiat_rate: 0.1 }),
      told('unread', { rate: 'twice' }),
    ]
    standIns.elevenLabs.setScript({ voices: { body: { voices, has_more: false } } })
    const listed = (await open().list()).filter(({ models }) => models.includes('elevenlabs/eleven_v3'))
    expect(listed.map(({ id }) => id)).toEqual(['own', 'usual'])
  })

  test('has OpenAI’s voices for models whose hosts list none, and the practice voice for the practice model', async () => {
    const voices = await open().list()
    expect(voices.find(({ id }) => id === 'alloy')).toMatchObject({
      name: 'Alloy',
      models: ['vendor/tts-1'],
    })
    expect(voices.find(({ id }) => id === 'hum')).toMatchObject({
      name: 'Hummer',
      models: ['sandbox/voice'],
    })
  })

  test('has the voices that the operator names, under those very names', async () => {
    const named = ['en-US-Neural2-D', 'af_bella', 'nova']
    const voices = await open([someModel({ id: 'tts', kind: 'speech', voices: named })]).list()
    expect(voices.map(({ id, name }) => [id, name])).toEqual([
      ['en-US-Neural2-D', 'en-US-Neural2-D'],
      ['af_bella', 'af_bella'],
      ['nova', 'Nova'],
    ])
  })

  test('is loaded once for parallel callers, and again when it is stale', async () => {
    const { list, clock, keepAlive } = open()
    await Promise.all([list(), list(), list()])
    await list()
    expect(standIns.elevenLabs.requests).toHaveLength(2)
    clock.now = 5 * 60_000 - 1
    await list()
    expect(standIns.elevenLabs.requests).toHaveLength(2)
    clock.now += 1
    await list()
    await keepAlive.mock.calls[0]?.[0]
    expect(standIns.elevenLabs.requests).toHaveLength(4)
  })

  test('is waited for after a night in which nobody asked, since a voice may have become dearer', async () => {
    const { list, clock } = open()
    const idsOf = async () => (await list()).map(({ id }) => id)
    standIns.elevenLabs.setScript({ voices: { body: { voices: [{ voice_id: 'lent' }], has_more: false } } })
    expect(await idsOf()).toContain('lent')
    const dearer = { voice_id: 'lent', sharing: { rate: 2 } }
    standIns.elevenLabs.setScript({ voices: { body: { voices: [dearer], has_more: false } } })
    clock.now = 10 * 60_000 + 1
    expect(await idsOf()).not.toContain('lent')
  })

  test('is loaded again by work that a process is kept alive for', async () => {
    const { list, clock, keepAlive } = open()
    await list()
    expect(keepAlive).not.toHaveBeenCalled()
    clock.now = 5 * 60_000
    await list()
    expect(keepAlive).toHaveBeenCalledTimes(1)
    await keepAlive.mock.calls[0]?.[0]
    expect(standIns.elevenLabs.requests).toHaveLength(4)
  })

  test('is the last good copy while ElevenLabs fails, and the log line has nothing of its answer', async () => {
    const { list, clock, report } = open()
    const before = await list()
    standIns.elevenLabs.setScript(AWAY)
    clock.now = 5 * 60_000
    const reported = new Promise<string>(resolve => report.mockImplementation(resolve))
    expect(await list()).toEqual(before)
    expect(await reported).toBe('voices: the voices of ElevenLabs could not be fetched (status 500).')
    expect(await list()).toEqual(before)
  })

  test.each([
    ['an error', AWAY],
    ['something else', { voices: { body: [1, 2] } }],
    ['a redirect', { voices: { status: 302, headers: { location: 'http://127.0.0.1:9/' }, body: '' } }],
  ])('lacks only the voices of ElevenLabs if its first answer is %s', async (_, script) => {
    standIns.elevenLabs.setScript(script)
    const voices = await open().list()
    expect(voices.some(({ models }) => models.includes('elevenlabs/eleven_v3'))).toBe(false)
    expect(voices.length).toBeGreaterThan(0)
  })

  test('stops after ten pages of an endless list', async () => {
    const entry = { voice_id: 'again', name: 'Again' }
    standIns.elevenLabs.setScript({
      voices: { body: { voices: [entry, { voice_id: '../x' }, 7], has_more: true, next_page_token: 'more' } },
    })
    const voices = await open().list()
    expect(voices.filter(({ id }) => id === 'again')).toHaveLength(1)
    expect(standIns.elevenLabs.requests).toHaveLength(10)
  })

  test('is made without a request if no model of ElevenLabs is offered', async () => {
    const voices = await open(MODELS.filter(({ upstreamIds }) => !upstreamIds.includes('elevenlabs'))).list()
    expect(voices.length).toBeGreaterThan(0)
    expect(standIns.elevenLabs.requests).toEqual([])
    for (const voice of voices) {
      expect(Object.keys(voice).filter(name => SPEECH_ALONE.has(name))).toHaveLength(3)
    }
  })
})
