import { describe, expect, test } from '@jest/globals'
import {
  brokenContainer,
  flacSilence,
  mp3,
  mp3InExtensibleWave,
  mp3InWave,
  opusSilence,
  PLAIN_WAVE,
  type Sound,
  wave,
} from '@/test/stand-ins/sounds'
import type { Answer } from '@/test/stand-ins/upstream-script'
import { ESTIMATED, expectNoCentLost } from './books'
import { readText } from './caller'
import { describeSite } from './site'

const TWO_HOURS = 7_200
const HALF_AN_HOUR = 1_800
const STUDIO = { ...PLAIN_WAVE, samplesPerSecond: 192_000, channelCount: 8, bitsPerSample: 16 }

const RECORDINGS: readonly [string, () => Sound][] = [
  ['half an hour of MP3 in a WAV of the extensible kind', () => mp3InExtensibleWave(HALF_AN_HOUR)],
  ['half an hour of MP3 in a WAV that says so', () => mp3InWave(HALF_AN_HOUR, 0x55)],
  ['half an hour of MP3 in a WAV that calls it samples', () => mp3InWave(HALF_AN_HOUR, 1)],
  ['two hours of silence in Opus', () => opusSilence(TWO_HOURS)],
  ['two hours of silence in FLAC', () => flacSilence(TWO_HOURS, TWO_HOURS)],
  ['two hours of silence in FLAC that says one second', () => flacSilence(TWO_HOURS, 1)],
  ['two hours of silence in FLAC that does not say', () => flacSilence(TWO_HOURS, 0)],
  ['half an hour of MP3 at its thinnest', () => mp3(HALF_AN_HOUR)],
  ['a second and a half of 192 kHz in eight channels', () => wave(1.5, STUDIO)],
  ['a minute of plain samples', () => wave(60)],
  ['ten minutes in an Ogg that is broken', () => brokenContainer('OggS', 9_000)],
  ['ten minutes in a FLAC that is broken', () => brokenContainer('fLaC', 9_000)],
  ['ten minutes in a RIFF that is broken', () => brokenContainer('RIFF', 9_000)],
  ['ten minutes in nothing that is known', () => brokenContainer('', 9_000)],
]

const transcript = (fields: object) => ({ text: 'Nobody says a word.', ...fields })

describe('a recording that is longer than it looks', () => {
  describeSite('is charged in full, or refused', { host: 'plain' }, site => {
    test.each(RECORDINGS)('%s, with the length reported by the host', async (_, make) => {
      const { bytes, seconds } = make()
      const answer: Answer = { recordingSeconds: seconds, body: transcript({ duration: seconds }) }
      site.upstream.setScript({ transcriptions: answer })
      const customer = await site.fund(5)
      await readText(customer.transcribe(bytes))
      const books = await site.books()
      expectNoCentLost(books)
      expect(books.lossNano).toBe(0n)
    })

    test.each(RECORDINGS)('%s, without a length from the host', async (_, make) => {
      const { bytes, seconds } = make()
      site.upstream.setScript({ transcriptions: { recordingSeconds: seconds, body: transcript({}) } })
      const customer = await site.fund(5)
      await readText(customer.transcribe(bytes))
      const books = await site.books()
      expectNoCentLost(books)
      expect(books.lossNano).toBe(0n)
    })

    test.each([0, -1, 0.001, 1e9, 'long', null])(
      'a minute of samples, reported as %p seconds',
      async duration => {
        const { bytes, seconds } = wave(60)
        const answer: Answer = { recordingSeconds: seconds, body: transcript({ duration }) }
        site.upstream.setScript({ transcriptions: answer })
        const customer = await site.fund(5)
        await readText(customer.transcribe(bytes))
        const books = await site.books()
        expectNoCentLost(books)
        expect(books.chargedNano).toBe(books.billedNano)
      },
    )

    test.each([
      [60, 0n],
      [59, 0n],
      // Beyond the hold it is the operator's loss.
      [10_000, 994_000_000n],
    ])(
      'a minute of samples, billed as %p seconds with a reported cost',
      async (recordingSeconds, lossNano) => {
        const { bytes } = wave(60)
        const usage = { cost: recordingSeconds / 10_000 }
        const answer: Answer = { recordingSeconds, body: transcript({ usage }) }
        site.upstream.setScript({ transcriptions: answer })
        const customer = await site.fund(5)
        await readText(customer.transcribe(bytes))
        const books = await site.books()
        expectNoCentLost(books)
        expect(books.chargedNano + books.lossNano).toBe(books.billedNano)
        expect(books.lossNano).toBe(lossNano)
      },
    )

    test.each([
      [1, undefined],
      [1, 1],
      [9, 9],
      [11, 11],
    ])('%d seconds, of which ten are billed at least, reported as %p', async (seconds, duration) => {
      const { bytes } = wave(seconds)
      const answer: Answer = { recordingSeconds: seconds, body: transcript({ duration }) }
      site.upstream.setScript({ transcriptions: answer })
      const customer = await site.fund(5)
      await readText(customer.transcribe(bytes, { model: 'standin/patient-whisper' }))
      const books = await site.books()
      expectNoCentLost(books)
      expect(books).toMatchObject({ chargedNano: books.billedNano, lossNano: 0n })
      expect(books.billedNano).toBe(BigInt(Math.max(10, seconds)) * 100_000n)
    })

    test.each(RECORDINGS.slice(0, 6))('%s, at ElevenLabs', async (_, make) => {
      const { bytes, seconds } = make()
      site.elevenLabs.setScript({ transcript: { recordingSeconds: seconds } })
      const customer = await site.fund(5)
      await readText(customer.transcribe(bytes, { model: 'elevenlabs/scribe_v2' }))
      const books = await site.books()
      expectNoCentLost(books)
      expect(books.lossNano).toBe(0n)
    })

    test.each(['mp3', 'wave'])('a valid minute of %s is transcribed', async kind => {
      const { bytes, seconds } = kind === 'mp3' ? mp3(60) : wave(60)
      site.upstream.setScript({ transcriptions: { recordingSeconds: seconds } })
      const customer = await site.fund(0.01)
      expect((await customer.transcribe(bytes)).status).toBe(200)
      const books = await site.books()
      expectNoCentLost(books)
      expect(books.chargedNano).toBeLessThanOrEqual(6_200_000n)
    })
  })

  describeSite('is charged by the token where its model is', { host: 'plain' }, site => {
    const model = 'standin/transcribe'
    const LIVELY = 'Rain came late, ships were few, and hardly anybody noticed. '.repeat(16)

    test.each<[string, number, Record<string, string>, string]>([
      ['of lively speech', 60, {}, LIVELY],
      ['of silence', 60, {}, ''],
      ['with a long prompt', 60, { prompt: '\u{1f9ff}\u{1f3b2}'.repeat(250) }, 'One word.'],
      ['with a prompt of far more tokens than its sound', 1, { prompt: '1 '.repeat(500) }, 'One word.'],
      ['with its probabilities', 60, { 'include[]': 'logprobs' }, 'One word.'],
    ])('%s', async (_, seconds, fields, transcript) => {
      site.upstream.setScript({ transcriptions: { transcript } })
      const customer = await site.fund(5)
      const reply = await customer.transcribe(wave(seconds).bytes, { model, ...fields })
      const books = await site.books()
      expect(books).toMatchObject({ chargedNano: books.billedNano, lossNano: 0n })
      expect(books.billedNano).toBeGreaterThanOrEqual(BigInt(seconds) * 60_000n)
      const { usage } = await reply.json()
      expect(usage).toMatchObject({ type: 'tokens', cost: Number(books.chargedNano) / 1e9 })
      expect(usage.input_token_details.audio_tokens).toBe(seconds * 10)
    })

    test.each<[string, Answer]>([
      ['none', { usage: { mode: 'absent' } }],
      [
        'fewer than the text can have',
        { usage: { mode: 'value', value: { input_tokens: 600, output_tokens: 1 } } },
      ],
      [
        'fewer than the sound can have',
        { usage: { mode: 'value', value: { input_tokens: 4, output_tokens: 200 } } },
      ],
      ['none but seconds', { usage: { mode: 'value', value: { type: 'duration', seconds: 60 } } }],
    ])('by our own count where the host tells %s', async (_, answer) => {
      site.upstream.setScript({ transcriptions: { transcript: LIVELY, ...answer } })
      const customer = await site.fund(5)
      await readText(customer.transcribe(wave(60).bytes, { model }))
      const books = await site.books()
      expectNoCentLost(books, { estimated: ESTIMATED })
      expect(books.calls).toMatchObject([{ costBasis: 'local_count', lossNano: 0n }])
    })

    test('and what the host tells beyond the possible is a recorded loss', async () => {
      const value = { input_tokens: 600, output_tokens: 90_000, total_tokens: 90_600 }
      site.upstream.setScript({ transcriptions: { usage: { mode: 'value', value } } })
      const customer = await site.fund(5)
      await readText(customer.transcribe(wave(60).bytes, { model }))
      // Up to two thousand tokens can be written about a minute.
      expect(await site.books()).toMatchObject({
        chargedNano: 23_600_000n,
        lossNano: 880_000_000n,
        alarms: [
          expect.stringContaining('impossible for this request'),
          expect.stringContaining('operator loss'),
        ],
      })
    })

    test('and from no balance that would not pay for its prompt, read and repeated', async () => {
      const customer = await site.fund(0.002)
      const prompt = 'Rain came late. '.repeat(60)
      expect((await customer.transcribe(wave(1).bytes, { model, prompt })).status).toBe(402)
      expect((await customer.transcribe(wave(1).bytes, { model })).status).toBe(200)
    })

    test('from a small balance that the likely length needs', async () => {
      const customer = await site.fund(0.01)
      expect((await customer.transcribe(wave(60).bytes, { model })).status).toBe(200)
      const poor = await site.fund(0.005)
      const refusal = await poor.transcribe(wave(60).bytes, { model })
      expect(refusal.status).toBe(402)
      const books = await site.books()
      expect(books).toMatchObject({ chargedNano: books.billedNano, lossNano: 0n })
      expect(books.calls.map(({ heldNano }) => heldNano)).toEqual([10_000_000n])
    })
  })

  describeSite('is refused as sound in a chat', { host: 'plain' }, site => {
    const data = (seconds: number) => Buffer.from(wave(seconds).bytes).toString('base64')
    // Some decoders stop at the padding, or skip what does not belong to them, and others do not.
    test.each([
      ['behind its padding', `${data(1)}${data(60)}`],
      ['with letters of another alphabet', `${data(1).replace(/=+$/, '')}-${data(60)}`],
      ['in lines', `${data(1).replace(/=+$/, '')}\n${data(60)}`],
    ])('%s', async (_, twice) => {
      const customer = await site.fund(5)
      const content = [{ type: 'input_audio', input_audio: { data: twice, format: 'wav' } }]
      const reply = await customer.chat({ model: 'standin/speaker', messages: [{ role: 'user', content }] })
      expect(reply.status).toBe(422)
      expect(site.upstream.requests.filter(({ path }) => path === '/chat/completions')).toEqual([])
    })
  })
})
