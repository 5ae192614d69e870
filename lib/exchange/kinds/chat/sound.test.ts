import { expect, test } from '@jest/globals'
import { someModel } from '@/lib/catalogue/domain/testing'
import { wave } from '@/test/stand-ins/sounds'
import { readChatRequest } from './contract'
import { soundTokenCountMax } from './sound'

function recordings(...seconds: number[]) {
  const content = seconds.map(count => {
    const data = Buffer.from(wave(count).bytes).toString('base64')
    return { type: 'input_audio', input_audio: { data, format: 'wav' } }
  })
  return readChatRequest({ model: 'm', messages: [{ role: 'user', content }] }).request
}

test('sound is held for by its length', async () => {
  expect(await soundTokenCountMax(recordings(1, 61), [someModel({ id: 'openai/gpt-audio' })])).toBe(62 * 40)
})

test('each recording counts as whole half-minutes at a model that fills it up with silence', async () => {
  const models = [
    someModel({ id: 'openai/gpt-audio' }),
    someModel({ id: 'mistralai/voxtral-small-24b-2507' }),
  ]
  expect(await soundTokenCountMax(recordings(1, 1, 30, 61), models)).toBe((30 + 30 + 30 + 90) * 40)
})
