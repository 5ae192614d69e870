import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import OpenAI, { APIError } from 'openai'
import type { Database } from '@/lib/db/database'
import { openTestDatabase } from '@/lib/db/testing'
import { commonMp3 } from '@/test/fixtures/recordings/frames'
import {
  createCustomerWithNano,
  type TestCustomer,
  type TestSite,
  waitForUsage,
} from '@/test/support/exchange-site'
import { serveApi } from '@/test/support/serve-api'
import type { ServedHandler } from '@/test/support/serve-handler'
import { startSpeechSite, useStandIns } from '@/test/support/stand-in-upstream'

describe('the unmodified openai package for audio', () => {
  const standIns = useStandIns()
  let database: Database
  let site: TestSite
  let served: ServedHandler
  let customer: TestCustomer
  let apiKey: string

  beforeAll(async () => {
    database = await openTestDatabase()
    site = startSpeechSite({ database, standIns })
    served = await serveApi(site)
  })
  afterAll(async () => {
    await served.close()
    await database.close()
  })
  beforeEach(async () => {
    apiKey = randomUUID()
    customer = await createCustomerWithNano(site.ledger, 10n ** 9n, apiKey)
  })
  const client = () => new OpenAI({ apiKey, baseURL: `${served.url}/v1`, maxRetries: 0 })
  const reading = { model: 'standin/reader', voice: 'alloy', input: 'Read this.' } as const

  test('synthesizes speech, and the response headers have its price and id', async () => {
    const { data, response } = await client().audio.speech.create(reading).withResponse()
    expect(response.headers.get('x-cost-usd')).toBe('0.0002')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect((await data.arrayBuffer()).byteLength).toBeGreaterThan(400)
    const holdId = response.headers.get('x-exchange-id') ?? ''
    const usage = await site.ledger.getUsage({ accountId: customer.accountId, holdId })
    expect(usage).toMatchObject({ status: 'completed', chargedNano: 200_000n, querySource: 'api' })
  })

  test('transcribes a recording', async () => {
    standIns.openAi.setScript({ transcriptions: { body: { text: 'Hello.', duration: 1.5 } } })
    const file = new File([new Uint8Array(commonMp3(99))], 'voice.mp3', { type: 'audio/mpeg' })
    const transcription = await client().audio.transcriptions.create({ file, model: 'standin/whisper' })
    expect(transcription).toEqual({
      text: 'Hello.',
      usage: { type: 'duration', seconds: 2, cost: 0.0002, balance_usd: 0.9998 },
    })
  })

  test.each([
    ['an unknown model', { ...reading, model: 'nobody/knows' }, 404],
    ['nothing to read', { ...reading, input: '' }, 400],
    ['too long a text', { ...reading, input: 'x'.repeat(40_001) }, 400],
  ])('raises an APIError for %s', async (_, body, status) => {
    const failure = await client()
      .audio.speech.create(body)
      .catch(error => error)
    expect(failure).toBeInstanceOf(APIError)
    expect(failure).toMatchObject({ status })
  })

  test('raises an error when the audio stream breaks off, and only the audio received is charged', async () => {
    const steps = [{ type: 'raw', text: 'abcd' }, { type: 'gate', name: 'mid' }, { type: 'destroy' }] as const
    standIns.openAi.setScript({ speech: { steps: [...steps] } })
    const sound = await client().audio.speech.create(reading)
    const read = sound.arrayBuffer()
    standIns.openAi.gates.open('mid')
    await expect(read).rejects.toThrow()
    expect(await waitForUsage(site.ledger, customer)).toMatchObject({
      status: 'failed',
      chargedNano: 20_000n,
    })
  })

  test('aborts the upstream request when the client disconnects, and charges the account', async () => {
    const steps = [{ type: 'raw', text: 'abcd' }, { type: 'hang' }] as const
    standIns.openAi.setScript({ speech: { steps: [...steps] } })
    const sound = await client().audio.speech.create(reading)
    const reader = sound.body?.getReader()
    await reader?.read()
    await reader?.cancel()
    expect(await (await standIns.openAi.requestTo('/audio/speech')).ended).toBe('aborted')
    expect(await waitForUsage(site.ledger, customer)).toMatchObject({
      status: 'disconnected',
      chargedNano: 200_000n,
    })
  })

  test('is not needed for the list of voices, which is public and cached', async () => {
    const response = await fetch(`${served.url}/v1/audio/voices`)
    expect(response.headers.get('cache-control')).toMatch(/^public, max-age=\d+/)
    const { object, data, voices } = await response.json()
    expect(object).toBe('list')
    // Without this list, Open WebUI offers no voice at all.
    expect(voices).toEqual(data.map(({ id, name }: { id: string; name: string }) => ({ id, name })))
    expect(data[0]).toEqual({
      id: expect.any(String),
      object: 'voice',
      name: expect.any(String),
      language: 'en',
      description: expect.any(String),
      preview_url: expect.stringMatching(/^https:/),
      models: expect.arrayContaining(['elevenlabs/eleven_v3']),
    })
    const etag = response.headers.get('etag') ?? ''
    const again = await fetch(`${served.url}/v1/audio/voices`, { headers: { 'if-none-match': etag } })
    expect(again.status).toBe(304)
  })
})
