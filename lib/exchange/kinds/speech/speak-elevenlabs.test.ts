import { expect, test } from '@jest/globals'
import { describeOnPostgres } from '@/lib/db/testing'
import { speak, TEXT } from '@/test/support/exchange-calls'
import { bytesOf } from '@/test/support/exchange-replies'
import { createCustomerWithNano, waitForUsage } from '@/test/support/exchange-site'
import { startSpeechSite, useStandIns } from '@/test/support/stand-in-upstream'

const GEORGE = 'JBFqnCBsd6RMkjVDRZzb'

describeOnPostgres('speech', getDatabase => {
  const standIns = useStandIns()
  const site = () => startSpeechSite({ database: getDatabase(), standIns })

  test('by ElevenLabs is requested in its own API, with its own key', async () => {
    const running = site()
    const customer = await createCustomerWithNano(running.ledger, 1_000_000n)
    const fields = {
      model: 'elevenlabs/eleven_flash_v2_5',
      voice: GEORGE,
      speed: 1.1,
      language_code: 'en',
      instructions: 'Softly.',
    }
    const reply = await speak(running, customer, fields)
    expect(reply.headers).toMatchObject({ 'content-type': 'audio/mpeg', 'x-cost-usd': '0.0005' })
    await bytesOf(reply)
    const [request] = standIns.elevenLabs.requests
    expect(request?.path).toBe(`/text-to-speech/${GEORGE}/stream?output_format=mp3_44100_128`)
    expect(request?.headers.authorization).toBeUndefined()
    expect(request?.body).toEqual({
      text: TEXT,
      model_id: 'eleven_flash_v2_5',
      voice_settings: { speed: 1.1 },
      language_code: 'en',
    })
    expect(await waitForUsage(running.ledger, customer)).toMatchObject({
      upstreamId: 'elevenlabs',
      chargedNano: 500_000n,
    })
  })

  test.each([
    ['wav', 'pcm_24000', 'audio/wav', 'RIFF'],
    ['pcm', 'pcm_24000', 'audio/pcm', ''],
    ['opus', 'opus_48000_128', 'audio/ogg', ''],
  ] as const)(
    'by ElevenLabs in the format %s is a stream of %s',
    async (format, asked, contentType, beginning) => {
      standIns.elevenLabs.setScript({ speech: { headers: { 'content-type': 'application/octet-stream' } } })
      const running = site()
      const customer = await createCustomerWithNano(running.ledger, 2_000_000n)
      const request = { model: 'elevenlabs/eleven_v3', voice: GEORGE, response_format: format }
      const reply = await speak(running, customer, request)
      expect(reply.headers).toMatchObject({ 'content-type': contentType })
      const bytes = Buffer.from(await bytesOf(reply))
      expect(bytes.toString('latin1').startsWith(beginning)).toBe(true)
      const path = `/text-to-speech/${GEORGE}/stream?output_format=${asked}`
      expect(standIns.elevenLabs.requests.map(each => each.path)).toEqual([path])
    },
  )

  test.each([
    ['a format that it has not', { response_format: 'flac' }, 'response_format'],
    ['a speed that it has not', { speed: 2 }, 'speed'],
    ['sound in events, which it has not', { stream_format: 'sse' }, 'stream_format'],
  ])('by ElevenLabs with %s is refused as an invalid request', async (_, fields, param) => {
    const running = site()
    const customer = await createCustomerWithNano(running.ledger, 1_000_000n)
    const request = { model: 'elevenlabs/eleven_v3', voice: GEORGE, ...fields }
    await expect(speak(running, customer, request)).rejects.toMatchObject({ status: 400, param })
    expect(await waitForUsage(running.ledger, customer)).toMatchObject({ chargedNano: 0n })
  })

  test.each([
    ['an unknown voice', 'alloy'],
    ['a voice of its library at twice the price', 'nObOdYsLiStEdVoIcE00'],
    ['a voice of the operator’s at three times the price', 'cHaRgEsThReEtImEs000'],
    ['a voice at a price of its own', 'cHaRgEsInDoLlArS0000'],
  ])('by ElevenLabs with %s is refused before it costs anything', async (_, voice) => {
    const running = site()
    const customer = await createCustomerWithNano(running.ledger, 1_000_000n)
    const asked = speak(running, customer, { model: 'elevenlabs/eleven_v3', voice })
    await expect(asked).rejects.toMatchObject({ code: 'invalid_request', status: 400, param: 'voice' })
    expect(standIns.elevenLabs.requests.filter(({ method }) => method === 'POST')).toEqual([])
  })

  test('by ElevenLabs without a list of voices uses the voice that every account has', async () => {
    standIns.elevenLabs.setScript({ voices: { status: 401, body: { detail: 'missing_permissions' } } })
    const running = site()
    const customer = await createCustomerWithNano(running.ledger, 1_000_000n)
    for (const voice of [undefined, GEORGE])
      await bytesOf(await speak(running, customer, { model: 'elevenlabs/eleven_flash_v2_5', voice }))
    const spoken = standIns.elevenLabs.requests.filter(({ method }) => method === 'POST')
    expect(spoken.map(({ path }) => path.split('?')[0])).toEqual(
      Array(2).fill(`/text-to-speech/${GEORGE}/stream`),
    )
  })

  test('by ElevenLabs reveals nothing when our key or quota is refused there', async () => {
    standIns.elevenLabs.setScript({
      speech: {
        status: 401,
        body: { detail: { status: 'quota_exceeded', message: 'sk_elevenlabs_secret' } },
      },
    })
    const running = site()
    const customer = await createCustomerWithNano(running.ledger, 1_000_000n)
    const failure = await speak(running, customer, { model: 'elevenlabs/eleven_v3', voice: GEORGE }).catch(
      e => e,
    )
    expect(failure).toMatchObject({ code: 'upstream_error', status: 502 })
    expect(JSON.stringify(failure.toBody())).not.toContain('sk_')
  })
})
