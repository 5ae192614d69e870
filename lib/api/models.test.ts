import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import type { Catalogue, Model } from '@/lib/catalogue/domain/model'
import { someModel } from '@/lib/catalogue/domain/testing'
import { answerApi } from '@/test/support/answer-api'

const models = [
  someModel({ id: 'vendor/chat:free' }),
  someModel({ id: 'painter', kind: 'image' }),
  someModel({ id: 'reader', kind: 'speech' }),
  someModel({ id: 'listener', kind: 'transcription' }),
  someModel({ id: 'anthropic/claude-sonnet-4.5', name: 'Claude', createdAtSeconds: 1_759_000_000 }),
  someModel({ id: 'anthropic/claude-opus-4', contextLength: 200_000, outputTokenCountMax: 32_000 }),
]
let listed: readonly Model[] = models
let secondsToMissingList: number | null = null
/** What happens while a list is read. */
let whileListed = () => {}
const catalogue: Catalogue = {
  secondsToMissingList: async () => secondsToMissingList,
  listModels: async () => {
    whileListed()
    return listed
  },
  findModel: async modelId => listed.find(model => model.id === modelId) ?? null,
}
jest.unstable_mockModule('@/lib/composition', () => ({
  services: async () => ({
    catalogue,
    listVoices: async () => {
      whileListed()
      return []
    },
  }),
}))

const ask = (path: string, headers: Record<string, string> = {}) =>
  answerApi(new Request(`http://site.test${path}`, { headers }))

describe('the list', () => {
  test('refuses an unknown type and names it', async () => {
    const response = await ask('/v1/models?type=video')
    expect([response.status, (await response.json()).error.param]).toEqual([400, 'type'])
  })

  test('has the requested kinds and is publicly cacheable', async () => {
    const response = await ask('/v1/models?type=image')
    expect(await response.json()).toMatchObject({ object: 'list', data: [{ id: 'painter' }] })
    expect(response.headers.get('cache-control')).toMatch(/^public/)
  })

  test('answers without /v1, too', async () => {
    expect(await (await ask('/models?type=image')).json()).toMatchObject({ data: [{ id: 'painter' }] })
  })

  test('is not sent again to a client that has it', async () => {
    const etag = (await ask('/v1/models')).headers.get('etag') ?? ''
    const known = await ask('/v1/models', { 'if-none-match': `"x", W/${etag}` })
    expect([known.status, await known.text()]).toEqual([304, ''])
    expect((await ask('/v1/models?type=chat', { 'if-none-match': etag })).status).toBe(200)
  })
})

describe('while the list of an upstream has never arrived', () => {
  beforeEach(() => {
    secondsToMissingList = 15
  })
  afterEach(() => {
    secondsToMissingList = null
    whileListed = () => {}
  })

  const LISTS = ['/v1/models', '/v1/audio/voices']

  test.each(LISTS)(
    'no cache keeps %s that was made of what was there, although it has come meanwhile',
    async path => {
      whileListed = () => {
        secondsToMissingList = null
      }
      expect((await ask(path)).headers.get('cache-control')).toBe('no-cache')
      expect((await ask(path)).headers.get('cache-control')).toMatch(/^public/)
    },
  )

  test.each(LISTS)('no cache keeps %s without asking again', async path => {
    expect((await ask(path)).headers.get('cache-control')).toBe('no-cache')
  })

  test.each(['vendor/other', 'claude-sonnet-9'])('nobody is told that %s is not here', async id => {
    const response = await ask(`/v1/models/${id}`, { 'anthropic-version': '2023-06-01' })
    expect([response.status, response.headers.get('retry-after')]).toEqual([502, '15'])
    expect((await response.json()).error.code).toBe('upstream_error')
    expect((await ask('/v1/models/painter')).status).toBe(200)
  })
})

test('the models of a list are counted, below OpenRouter’s base path', async () => {
  expect(await (await ask('/api/v1/models/count')).json()).toEqual({ data: { count: models.length } })
  expect(await (await ask('/api/v1/models/count?type=image')).json()).toEqual({ data: { count: 1 } })
  expect((await ask('/api/v1/models/count?type=video')).status).toBe(400)
})

describe('the filter', () => {
  test.each([
    'type=video',
    'type=chat,',
    'type=constructor',
    'supported_parameters=a%20b',
    'input_modalities=smell',
    'output_modalities=text,smell',
    'max_price=cheap',
    'max_price=-1',
    'sort=beauty',
    'limit=0',
    `q=${'x'.repeat(201)}`,
  ])('%s is refused, and the error names the parameter', async query => {
    const response = await ask(`/v1/models?${query}`)
    expect([response.status, (await response.json()).error.param]).toEqual([400, query.split('=')[0]])
  })

  test.each([
    ['q=CLAUDE+opus', ['anthropic/claude-opus-4']],
    ['q=claude&sort=context-high-to-low', ['anthropic/claude-opus-4', 'anthropic/claude-sonnet-4.5']],
    ['output_modalities=all&type=image', ['painter']],
    ['type=image,+transcription', ['painter', 'listener']],
    ['type=audio', ['reader', 'listener']],
    ['max_price=0.5&type=chat', []],
    ['max_price=1&q=chat', ['vendor/chat:free']],
    ['sort=newest&q=claude&unknown=1', ['anthropic/claude-sonnet-4.5', 'anthropic/claude-opus-4']],
  ])('%s is %j', async (query, ids) => {
    const { data } = await (await ask(`/v1/models?${query}`)).json()
    expect(data.map(({ id }: { id: string }) => id)).toEqual(ids)
  })
})

describe("in Anthropic's shape", () => {
  const anthropic = { 'anthropic-version': '2023-06-01' }

  test('are the chat models, Claude first, under Anthropic’s names', async () => {
    const response = await ask('/v1/models?limit=1000', anthropic)
    expect(response.headers.get('vary')).toContain('anthropic-version')
    expect(await response.json()).toEqual({
      data: [
        {
          type: 'model',
          id: 'claude-sonnet-4-5',
          display_name: 'Claude',
          created_at: '2025-09-27T19:06:40Z',
          max_input_tokens: 8_000,
          max_tokens: null,
        },
        expect.objectContaining({ id: 'claude-opus-4', max_input_tokens: 200_000, max_tokens: 32_000 }),
        expect.objectContaining({ id: 'vendor/chat:free' }),
      ],
      has_more: false,
      first_id: 'claude-sonnet-4-5',
      last_id: 'vendor/chat:free',
    })
  })

  test('are listed in pages in both directions', async () => {
    const page = async (query: string) => {
      const { data, has_more: more } = await (await ask(`/v1/models?${query}`, anthropic)).json()
      return [data.map(({ id }: { id: string }) => id), more]
    }
    expect(await page('limit=2')).toEqual([['claude-sonnet-4-5', 'claude-opus-4'], true])
    expect(await page('limit=2&after_id=claude-opus-4')).toEqual([['vendor/chat:free'], false])
    expect(await page('limit=1&before_id=vendor/chat:free')).toEqual([['claude-opus-4'], true])
    expect(await page('limit=2&before_id=vendor/chat:free')).toEqual([
      ['claude-sonnet-4-5', 'claude-opus-4'],
      false,
    ])
    expect((await ask('/v1/models?after_id=nobody', anthropic)).status).toBe(400)
  })

  test.each(['claude-sonnet-4-5', 'claude-sonnet-4-5-20250929', 'anthropic/claude-sonnet-4.5'])(
    'one of them is found as %s',
    async id => {
      expect(await (await ask(`/v1/models/${id}`, anthropic)).json()).toMatchObject({
        type: 'model',
        id: 'claude-sonnet-4-5',
      })
      expect((await ask('/v1/models/claude-sonnet-9', anthropic)).status).toBe(404)
    },
  )
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

test('six hundred models are serialised once each, and their list once, for any requests', async () => {
  listed = Array.from({ length: 600 }, (_, index) => someModel({ id: `vendor/model-${index}` }))
  const stringify = jest.spyOn(JSON, 'stringify')
  const concat = jest.spyOn(Buffer, 'concat')
  for (const query of ['sort=newest', 'q=vendor', 'q=model', 'max_price=999'])
    expect((await (await ask(`/v1/models?${query}`)).json()).data).toHaveLength(600)
  expect((await (await ask('/v1/models?q=-1')).json()).data).toHaveLength(111)
  const written = stringify.mock.calls.map(([value]) => value?.object)
  expect(written.filter(name => name === 'list')).toEqual([])
  expect(written.filter(name => name === 'model')).toHaveLength(600)
  expect(concat.mock.calls.filter(([pieces]) => pieces.length > 200)).toHaveLength(2)
  stringify.mockRestore()
  concat.mockRestore()
})
