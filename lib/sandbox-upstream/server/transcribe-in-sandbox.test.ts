import { expect, test } from '@jest/globals'
import OpenAI from 'openai'
import { encodeWav } from './speak-in-sandbox'
import { transcribeInSandbox } from './transcribe-in-sandbox'

/** OpenAI's own client talking to the practice transcriber, without a network in between. */
const client = new OpenAI({
  apiKey: 'sk-practice',
  baseURL: 'http://sandbox.test/v1',
  maxRetries: 0,
  fetch: (url, init) => transcribeInSandbox(new Request(url, init)),
})

test('writes the same sentence for every recording, with its length', async () => {
  const wave = encodeWav(new Float32Array(32_000), 16_000)
  const file = new File([new Uint8Array(wave)], 'voice.wav', { type: 'audio/wav' })
  const heard = await client.audio.transcriptions.create({
    file,
    model: 'sandbox/transcriber',
    response_format: 'verbose_json',
  })
  expect(heard).toMatchObject({ text: 'This is what a transcript looks like.', language: 'english' })
  expect(heard.duration).toBeCloseTo(2, 1)
})

test('refuses a form without a recording', async () => {
  const body = new FormData()
  body.set('model', 'sandbox/transcriber')
  const request = new Request('http://sandbox.test/v1', { method: 'POST', body })
  await expect(transcribeInSandbox(request)).rejects.toMatchObject({ code: 'invalid_request', param: 'file' })
})
