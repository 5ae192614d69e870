import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { describeOnPostgres } from '@/lib/db/testing'
import { encodeWav } from '@/lib/sandbox-upstream/server/speak-in-sandbox'
import { commonMp3, flacFile, thinMp3 } from '@/test/fixtures/recordings/frames'
import { OPUS_120_MS, oggOpusFile } from '@/test/fixtures/recordings/ogg'
import { waveFile } from '@/test/fixtures/recordings/wave'
import { STAND_IN_MODELS, standInModel } from '@/test/stand-ins/upstream-models'
import { transcribe } from '@/test/support/exchange-calls'
import { bytesOf } from '@/test/support/exchange-replies'
import { createCustomerWithNano, waitForUsage } from '@/test/support/exchange-site'
import { startSpeechSite, useStandIns } from '@/test/support/stand-in-upstream'

/** Of the recording of twelve seconds that is sent when a test gives none. */
const SECOND_NANO = 100_000n
const HEARD = {
  text: 'Hello.',
  language: 'english',
  duration: 6.2,
  segments: [{ id: 0, start: 0, end: 6.2, text: 'Hello.' }],
}

describeOnPostgres('a transcript', getDatabase => {
  const standIns = useStandIns()
  const site = () => startSpeechSite({ database: getDatabase(), standIns })
  const heard = () => standIns.openAi.requests.filter(({ path }) => path === '/audio/transcriptions')
  const jsonOf = async (reply: Parameters<typeof bytesOf>[0]) => JSON.parse(String(await bytesOf(reply)))

  test('without balance for the whole recording is refused without an upstream request', async () => {
    const running = site()
    const customer = await createCustomerWithNano(running.ledger, 12n * SECOND_NANO - 1n)
    await expect(transcribe(running, customer, {})).rejects.toMatchObject({ status: 402 })
    expect(heard()).toEqual([])
  })

  test.each([
    ['no recording in it', { file: new Blob([]) }, 'file'],
    ['an odd language', { fields: { language: '../en' } }, 'language'],
    ['a format that is not made here', { fields: { response_format: 'diarized_json' } }, 'response_format'],
    ['a stream asked for', { fields: { stream: 'true' } }, 'stream'],
    ['a book for a prompt', { fields: { prompt: 'word '.repeat(201) } }, 'prompt'],
    ['an odd temperature', { fields: { temperature: '1e9' } }, 'temperature'],
  ])('of a form with %s is refused', async (_, input, param) => {
    const running = site()
    const customer = await createCustomerWithNano(running.ledger, SECOND_NANO)
    await expect(transcribe(running, customer, input)).rejects.toMatchObject({
      code: 'invalid_request',
      param,
    })
  })

  test('is made by an OpenAI model named without its maker', async () => {
    const id = 'openai/whisper-1'
    const prices = { prompt: '0', completion: '0', pricing: { input_second: '0.0001' } }
    standIns.openAi.setModels([standInModel({ id, ...prices, input: ['audio'] })])
    const running = site()
    const customer = await createCustomerWithNano(running.ledger, 50n * SECOND_NANO)
    await jsonOf(await transcribe(running, customer, { fields: { model: 'whisper-1' } }))
    expect(heard()[0]?.rawBody.toString('latin1')).toMatch(/name="model"\r\n\r\nopenai\/whisper-1\r\n/)
    expect(await waitForUsage(running.ledger, customer)).toMatchObject({ modelId: id })
    standIns.openAi.setModels(STAND_IN_MODELS)
  })

  test('of more than 25 MB is refused', async () => {
    const running = site()
    const customer = await createCustomerWithNano(running.ledger, SECOND_NANO)
    const file = new Blob([new Uint8Array(25 * 1024 * 1024 + 1)])
    await expect(transcribe(running, customer, { file })).rejects.toMatchObject({ status: 413 })
  })

  test('is charged by each started second that the upstream reports', async () => {
    standIns.openAi.setScript({ transcriptions: { body: HEARD } })
    const running = site()
    const customer = await createCustomerWithNano(running.ledger, 50n * SECOND_NANO)
    const fields = { language: 'en', prompt: 'A greeting', 'timestamp_granularities[]': 'word' }
    const reply = await transcribe(running, customer, { fields, fileName: '../../evil".webm' })
    expect(await jsonOf(reply)).toEqual({
      text: 'Hello.',
      usage: { type: 'duration', seconds: 7, cost: 0.0007, balance_usd: 0.0043 },
    })
    const sent = heard()[0]?.rawBody.toString('latin1') ?? ''
    expect(sent).toContain('filename="recording.webm"')
    expect(sent).toMatch(/name="response_format"\r\n\r\nverbose_json\r\n/)
    expect(sent).toMatch(/name="timestamp_granularities\[\]"\r\n\r\nword\r\n/)
    expect(await waitForUsage(running.ledger, customer)).toMatchObject({
      queryType: 'transcription',
      querySource: 'api',
      chargedNano: 7n * SECOND_NANO,
      inputTokenCount: 7,
      costBasis: 'upstream_tokens',
    })
  })

  test('comes with the probabilities that were asked for', async () => {
    const logprobs = [{ token: 'Hello.', logprob: -0.1, bytes: [72] }]
    standIns.openAi.setScript({ transcriptions: { body: { ...HEARD, logprobs } } })
    const running = site()
    const customer = await createCustomerWithNano(running.ledger, 50n * SECOND_NANO)
    const reply = await transcribe(running, customer, { fields: { 'include[]': 'logprobs' } })
    expect(await jsonOf(reply)).toMatchObject({ text: 'Hello.', logprobs })
    expect(heard()[0]?.rawBody.toString('latin1')).toMatch(/name="include\[\]"\r\n\r\nlogprobs\r\n/)
  })

  test.each([
    ['as it is', 0.0004, { chargedNano: 400_000n, costBasis: 'upstream_cost' }],
    ['up to what was held', 1, { chargedNano: 12n * SECOND_NANO, costBasis: 'upstream_cost' }],
    ['not where it is nothing', 0, { chargedNano: 7n * SECOND_NANO, costBasis: 'upstream_tokens' }],
  ])('is charged by the cost that the upstream reports: %s', async (_, cost, paid) => {
    standIns.openAi.setScript({ transcriptions: { body: { ...HEARD, usage: { seconds: 6.2, cost } } } })
    const running = site()
    const customer = await createCustomerWithNano(running.ledger, 50n * SECOND_NANO)
    const answer = await jsonOf(await transcribe(running, customer, {}))
    expect(await waitForUsage(running.ledger, customer)).toMatchObject(paid)
    expect(answer.usage.cost).toBe(Number(paid.chargedNano) / 1e9)
  })

  test('reported longer than its recording is charged as measured, and the rest is the operator’s loss', async () => {
    standIns.openAi.setScript({ transcriptions: { body: { ...HEARD, duration: 20 } } })
    const running = site()
    const customer = await createCustomerWithNano(running.ledger, 50n * SECOND_NANO)
    await jsonOf(await transcribe(running, customer, {}))
    expect(await waitForUsage(running.ledger, customer)).toMatchObject({ chargedNano: 12n * SECOND_NANO })
    expect(running.reports).toContainEqual(expect.stringMatching(/^operator loss: 0\.0008 USD /))
  })

  test('whose upstream names an error in a 200 is refused with its reason, and loses nothing', async () => {
    const error = { code: 400, message: 'The recording is too noisy.' }
    standIns.openAi.setScript({ transcriptions: { body: { error } } })
    const running = site()
    const customer = await createCustomerWithNano(running.ledger, 50n * SECOND_NANO)
    const refused = { code: 'invalid_request', status: 400, message: error.message }
    await expect(transcribe(running, customer, {})).rejects.toMatchObject(refused)
    expect(await waitForUsage(running.ledger, customer)).toMatchObject({ status: 'failed', chargedNano: 0n })
    expect(running.reports).toEqual([])
  })

  test.each([
    ['text', 'text/plain; charset=utf-8', 'Hello.'],
    ['srt', 'text/plain; charset=utf-8', '1\n00:00:00,000 --> 00:00:06,200\nHello.\n\n'],
    ['vtt', 'text/plain; charset=utf-8', 'WEBVTT\n\n00:00:00.000 --> 00:00:06.200\nHello.\n\n'],
    ['verbose_json', 'application/json', expect.stringContaining('"segments":[{"id":0,"start":0,"end":6.2,')],
  ])('with the response format %s has that shape', async (response_format, type, text) => {
    standIns.openAi.setScript({ transcriptions: { body: HEARD } })
    const running = site()
    const customer = await createCustomerWithNano(running.ledger, 50n * SECOND_NANO)
    const reply = await transcribe(running, customer, { fields: { response_format } })
    expect(reply.headers).toMatchObject({ 'content-type': type, 'x-cost-usd': '0.0007' })
    expect(String(await bytesOf(reply))).toEqual(text)
  })

  test.each([
    ['says nothing', { text: 'Hi' }],
    ['is beyond what was sent', { text: 'Hi', duration: 12.1 }],
    ['cannot be right', { text: 'Hi', duration: 1e9 }],
    ['is no number', { text: 'Hi', duration: 'long' }],
    ['is nothing', { text: 'Hi', duration: 0 }],
    ['is negative', { text: 'Hi', duration: -3 }],
  ])('whose length %s is charged as measured', async (_, body) => {
    standIns.openAi.setScript({ transcriptions: { body } })
    const running = site()
    const customer = await createCustomerWithNano(running.ledger, 50n * SECOND_NANO)
    await transcribe(running, customer, {})
    expect(await waitForUsage(running.ledger, customer)).toMatchObject({
      chargedNano: 12n * SECOND_NANO,
      costBasis: 'local_count',
      estimated: true,
    })
  })

  test.each([
    [
      'half an hour of MP3 in WAV',
      waveFile({ sound: thinMp3(25_000), subFormat: 0x55, channels: 8, rate: 192_000, bits: 32 }),
      1_800n,
      'wav',
    ],
    [
      'two hours of silence in Opus',
      oggOpusFile({ packets: Array(60_000).fill(OPUS_120_MS), samplesPerPacket: 5_760 }),
      7_200n,
      'ogg',
    ],
    ['two hours of silence in FLAC', flacFile({ frameCount: 1_758 }), 7_201n, 'flac'],
    ['honest MP3', commonMp3(1_000), 27n, 'mp3'],
  ])('of %s costs its length where the upstream tells none', async (_, file, secondCount, extension) => {
    standIns.openAi.setScript({ transcriptions: { body: { text: '' } } })
    const running = site()
    const customer = await createCustomerWithNano(running.ledger, secondCount * SECOND_NANO)
    await transcribe(running, customer, { file: new Blob([new Uint8Array(file)]), fileName: 'voice.gsm' })
    expect(await waitForUsage(running.ledger, customer)).toMatchObject({
      chargedNano: secondCount * SECOND_NANO,
    })
    // The name that upstreams go by is that of what was measured.
    expect(heard()[0]?.rawBody.toString('latin1')).toContain(`filename="recording.${extension}"`)
  })

  test('of a file that is no recording, or of several at once, is refused with the reason', async () => {
    const running = site()
    const customer = await createCustomerWithNano(running.ledger, 50n * SECOND_NANO)
    const refused = { status: 422, code: 'unprocessable', param: 'file' }
    const sound = waveFile({ sound: thinMp3(100), channels: 8, rate: 192_000 })
    await expect(
      transcribe(running, customer, { file: new Blob([new Uint8Array(sound)]) }),
    ).rejects.toMatchObject({
      ...refused,
      message: 'The WAV file hides compressed sound.',
    })
    const text = new Blob(['No sound at all.'])
    await expect(transcribe(running, customer, { file: text })).rejects.toMatchObject(refused)
    expect(heard()).toEqual([])
  })

  test('of a WAV file is held for its exact length', async () => {
    const running = site()
    const customer = await createCustomerWithNano(running.ledger, SECOND_NANO)
    const file = new Blob([new Uint8Array(encodeWav(new Float32Array(32_000), 16_000))])
    await expect(transcribe(running, customer, { file })).rejects.toMatchObject({
      details: { required_usd: 0.0002 },
    })
  })

  test.each([
    ['an error', { status: 500, body: { error: { message: 'upstream-secret' } } }],
    ['something else', { body: { choices: [] } }],
    ['half an answer', { beforeHeaders: [{ type: 'destroy' as const }] }],
  ])(
    'for which the upstream sends %s costs nothing, and its idempotency key can be used again',
    async (_, transcriptions) => {
      standIns.openAi.setScript({ transcriptions })
      const running = site()
      const customer = await createCustomerWithNano(running.ledger, 50n * SECOND_NANO)
      const options = { idempotencyKey: randomUUID() }
      await expect(transcribe(running, customer, {}, options)).rejects.toMatchObject({ status: 502 })
      expect(await waitForUsage(running.ledger, customer)).toMatchObject({
        status: 'failed',
        chargedNano: 0n,
      })
      standIns.openAi.setScript({ transcriptions: { body: HEARD } })
      const reply = await transcribe(running, customer, {}, options)
      expect(await jsonOf(reply)).toMatchObject({ text: 'Hello.' })
    },
  )

  test('repeated under its idempotency key is the first one, even with a new form boundary', async () => {
    standIns.openAi.setScript({ transcriptions: { body: HEARD } })
    const running = site()
    const customer = await createCustomerWithNano(running.ledger, 50n * SECOND_NANO)
    const options = { idempotencyKey: randomUUID() }
    const first = await bytesOf(await transcribe(running, customer, {}, options))
    const again = await bytesOf(await transcribe(running, customer, {}, options))
    expect(again.equals(first)).toBe(true)
    expect(heard()).toHaveLength(1)
    const other = { file: new Blob([new Uint8Array(commonMp3(9))]) }
    await expect(transcribe(running, customer, other, options)).rejects.toMatchObject({
      code: 'idempotency_conflict',
    })
  })

  test('repeated after its model was delisted is the first one, but not for another recording', async () => {
    standIns.openAi.setScript({ transcriptions: { body: HEARD } })
    const running = site()
    const customer = await createCustomerWithNano(running.ledger, 50n * SECOND_NANO)
    const options = { idempotencyKey: randomUUID() }
    const first = await bytesOf(await transcribe(running, customer, {}, options))
    await running.exchanges.drain()
    standIns.openAi.setModels([])
    try {
      const later = site()
      const again = await bytesOf(await transcribe(later, customer, {}, options))
      expect(again.equals(first)).toBe(true)
      const other = { file: new Blob([new Uint8Array(commonMp3(9))]) }
      await expect(transcribe(later, customer, other, options)).rejects.toMatchObject({
        code: 'model_not_found',
      })
    } finally {
      standIns.openAi.setModels(STAND_IN_MODELS)
    }
    expect(heard()).toHaveLength(1)
  })

  test('of a client that leaves is finished and charged', async () => {
    const beforeHeaders = [{ type: 'gate' as const, name: 'heard' }]
    standIns.openAi.setScript({ transcriptions: { beforeHeaders, body: HEARD } })
    const running = site()
    const customer = await createCustomerWithNano(running.ledger, 50n * SECOND_NANO)
    const client = new AbortController()
    const asked = transcribe(running, customer, {}, { signal: client.signal })
    const request = await standIns.openAi.requestTo('/audio/transcriptions')
    client.abort()
    standIns.openAi.gates.open('heard')
    await asked
    expect(await request.ended).toBe('completed')
    expect(await waitForUsage(running.ledger, customer)).toMatchObject({
      status: 'completed',
      chargedNano: 7n * SECOND_NANO,
    })
  })

  test('by ElevenLabs is requested in its API, and answered in OpenAI’s shape', async () => {
    const running = site()
    const customer = await createCustomerWithNano(running.ledger, 10_000_000n)
    const fields = { model: 'elevenlabs/scribe_v2', language: 'en', response_format: 'verbose_json' }
    const reply = await transcribe(running, customer, { fields })
    expect(await jsonOf(reply)).toMatchObject({
      task: 'transcribe',
      language: 'eng',
      duration: 2.4,
      text: 'Hello there.',
      words: [
        { word: 'Hello', start: 0.1, end: 0.6 },
        { word: 'there.', start: 0.7, end: 2.4 },
      ],
      usage: { seconds: 12 },
    })
    const [request] = standIns.elevenLabs.requests
    expect(request?.path).toBe('/speech-to-text')
    expect(request?.headers['xi-api-key']).toBe(standIns.elevenLabs.apiKey)
    expect(request?.rawBody.toString('latin1')).toMatch(/name="model_id"\r\n\r\nscribe_v2\r\n/)
    // The last word ends in the third second, and the recording in the twelfth: at $0.00006112.
    expect(await waitForUsage(running.ledger, customer)).toMatchObject({ chargedNano: 733_440n })
  })
})
