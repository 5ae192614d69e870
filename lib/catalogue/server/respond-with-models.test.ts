import { describe, expect, test } from '@jest/globals'
import type { Catalogue } from '../domain/model'
import { someModel } from '../domain/testing'
import { respondWithModel, respondWithModels } from './respond-with-models'

const models = [someModel({ id: 'vendor/chat:free' }), someModel({ id: 'painter', kind: 'image' })]
const catalogue: Catalogue = {
  listModels: async () => models,
  findModel: async modelId => models.find(model => model.id === modelId) ?? null,
}
const request = (query = '', headers = {}) => new Request(`http://site.test/v1/models${query}`, { headers })

describe('the list', () => {
  test('refuses an unknown type by name', async () => {
    await expect(respondWithModels(catalogue, request('?type=video'))).rejects.toMatchObject({
      status: 400,
      param: 'type',
    })
  })

  test('holds the asked kinds and may be cached by anyone', async () => {
    const response = await respondWithModels(catalogue, request('?type=image'))
    expect(await response.json()).toMatchObject({ object: 'list', data: [{ id: 'painter' }] })
    expect(response.headers.get('cache-control')).toMatch(/^public/)
  })

  test('is not sent again to who has it', async () => {
    const etag = (await respondWithModels(catalogue, request())).headers.get('etag') ?? ''
    const known = await respondWithModels(catalogue, request('', { 'if-none-match': `"x", W/${etag}` }))
    expect([known.status, await known.text()]).toEqual([304, ''])
    const other = await respondWithModels(catalogue, request('?type=chat', { 'if-none-match': etag }))
    expect(other.status).toBe(200)
  })
})

describe('one model', () => {
  test.each([[['nothing']], [['%E0%A4%A']], [['vendor']]])('%j is not found', async segments => {
    await expect(respondWithModel(catalogue, request(), segments)).rejects.toMatchObject({
      status: 404,
      code: 'model_not_found',
    })
  })

  test.each([[['vendor', 'chat:free']], [['vendor', 'chat%3Afree']], [['vendor%2Fchat%3Afree']]])(
    'is found by the segments %j',
    async segments => {
      const response = await respondWithModel(catalogue, request(), segments)
      expect(await response.json()).toMatchObject({ id: 'vendor/chat:free', object: 'model' })
    },
  )
})
