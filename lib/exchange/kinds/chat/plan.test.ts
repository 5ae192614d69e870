import { expect, test } from '@jest/globals'
import { measurePrompt } from '@/lib/catalogue/domain/measure-prompt'
import { someModel, somePrices } from '@/lib/catalogue/domain/testing'
import { upstreamDialect } from '@/lib/upstream/upstream-dialect'
import { readChatRequest } from './contract'
import { planChat } from './plan'

const PLAIN = upstreamDialect('https://host.test/v1')

test.each([
  ['pictures', ['text', 'image'], false, 16_384_000n],
  ['films', ['text', 'image', 'video'], true, 1_000_000_000n],
])(
  'a picture or file given by URL is held for at the largest token count that a model of %s may read',
  (...row) => {
    const [, inputModalities, hasFiles, promptNano] = row
    const prices = somePrices({ prompt: '0.000001', completion: '0' })
    const model = someModel({ id: 'm', contextLength: 1_000_000, inputModalities, prices })
    const content = [{ type: 'image_url', image_url: { url: 'https://a.test/picture' } }]
    const { request } = readChatRequest({ model: 'm', messages: [{ role: 'user', content }] })
    const input = { measure: measurePrompt(request), audioTokenCountMax: 0, dialects: [PLAIN] }
    const plan = planChat(request, [model], input)
    expect(plan.hasFiles).toBe(hasFiles)
    expect(plan.boundNano).toBeGreaterThanOrEqual(promptNano)
    expect(plan.boundNano).toBeLessThan(promptNano + 1_000_000n)
  },
)

test('a picture and a recording are held for as often as they are read: again after each search', () => {
  const prices = somePrices({ prompt: '0', completion: '0', image: '0.001', inputAudio: '0.00001' })
  const content = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }]
  const boundWith = (more: object) => {
    const { request } = readChatRequest({ model: 'm', messages: [{ role: 'user', content }], ...more })
    const input = { measure: measurePrompt(request), audioTokenCountMax: 100, dialects: [PLAIN] }
    return planChat(request, [someModel({ id: 'm', prices })], input).boundNano
  }
  const tools = [{ type: 'openrouter:web_search', parameters: { max_uses: 2 } }]
  expect(boundWith({})).toBe(2_000_000n)
  expect(boundWith({ tools })).toBe(6_000_000n)
})
