import { describe, expect, jest, test } from '@jest/globals'
import type { Catalogue } from '@/lib/catalogue/domain/model'
import { someModel } from '@/lib/catalogue/domain/testing'
import { answerApi } from '@/test/support/answer-api'

const models = [someModel({ id: 'vendor/chat:free' }), someModel({ id: 'painter', kind: 'image' })]
const catalogue: Catalogue = {
  listModels: async () => models,
  findModel: async modelId => models.find(model => model.id === modelId) ?? null,
}
jest.unstable_mockModule('@/lib/composition', () => ({ services: async () => ({ catalogue }) }))

const ask = (path: string, headers: Record<string, string> = {}) =>
  answerApi(new Request(`http://site.test${path}`, { headers }))

describe('the list', () => {
  test('refuses an unknown type by name', async () => {
    const response = await ask('/v1/models?type=video')
    expect([response.status, (await response.json()).error.param]).toEqual([400, 'type'])
  })

  test('holds the asked kinds and may be cached by anyone', async () => {
    const response = await ask('/v1/models?type=image')
    expect(await response.json()).toMatchObject({ object: 'list', data: [{ id: 'painter' }] })
    expect(response.headers.get('cache-control')).toMatch(/^public/)
  })

  test('answers without its version too', async () => {
    expect(await (await ask('/models?type=image')).json()).toMatchObject({ data: [{ id: 'painter' }] })
  })

  test('is not sent again to who has it', async () => {
    const etag = (await ask('/v1/models')).headers.get('etag') ?? ''
    const known = await ask('/v1/models', { 'if-none-match': `"x", W/${etag}` })
    expect([known.status, await known.text()]).toEqual([304, ''])
    expect((await ask('/v1/models?type=chat', { 'if-none-match': etag })).status).toBe(200)
  })
})

describe('one model', () => {
  test.each(['nothing', '%E0%A4%A', 'vendor'])('%j is not found', async id => {
    const response = await ask(`/v1/models/${id}`)
    expect([response.status, (await response.json()).error.code]).toEqual([404, 'model_not_found'])
  })

  test.each(['vendor/chat:free', 'vendor/chat%3Afree', 'vendor%2Fchat%3Afree'])(
    'is found by %s',
    async id => {
      const response = await ask(`/v1/models/${id}`)
      expect(await response.json()).toMatchObject({ id: 'vendor/chat:free', object: 'model' })
    },
  )
})
