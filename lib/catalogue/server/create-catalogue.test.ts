import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { SettingsError } from '@/lib/config/settings-error'
import { formatDecimal, parseDecimal, ZERO } from '@/lib/money/decimal'
import { type StandInUpstream, startStandInUpstream } from '@/test/stand-ins/upstream'
import { type CatalogueInput, createCatalogue } from './create-catalogue'
import { createMemoryStore, upstreamAt } from './testing'

/** Nothing listens on this machine's discard port. */
const NOWHERE = 'http://127.0.0.1:9/v1'
const MINUTES = 60_000

let upstream: StandInUpstream
let nowMs: number
let messages: string[]

beforeEach(async () => {
  upstream = await startStandInUpstream({ models: [priced('a', '0.000001'), priced('b', '-1')] })
  nowMs = 0
  messages = []
})
afterEach(() => upstream.close())

function priced(id: string, prompt: string) {
  return { id, pricing: { prompt, completion: '0.000002' } }
}

function create(fields: Partial<CatalogueInput> = {}) {
  return createCatalogue({
    upstreams: [upstreamAt(upstream.baseUrl)],
    modelPrices: null,
    priceMarkup: ZERO,
    store: createMemoryStore(),
    now: () => nowMs,
    report: message => messages.push(message),
    ...fields,
  })
}

async function idsOf(catalogue: ReturnType<typeof create>) {
  return (await catalogue.listModels()).map(model => model.id)
}

/** A background refresh is over when the next answer differs. */
async function waitForIds(catalogue: ReturnType<typeof create>, expected: string[]): Promise<void> {
  while (JSON.stringify(await idsOf(catalogue)) !== JSON.stringify(expected)) {
    await new Promise(resolve => setImmediate(resolve))
  }
}

test('a model with an unknown price field is not offered, and the operator is told once', async () => {
  const strange = { id: 'c', pricing: { prompt: '0', completion: '0', input_video: '0.01' } }
  const offer = (...data: unknown[]) => upstream.setScript({ models: { body: { data } } })
  const moody = {
    id: 'd',
    pricing: { ...priced('d', '0').pricing, overrides: [{ mood: 'good', prompt: '1' }] },
  }
  offer(priced('a', '0.000001'), strange, moody)
  const catalogue = create()
  expect(await idsOf(catalogue)).toEqual(['a'])
  expect(messages).toEqual([expect.stringContaining('["input_video","overrides"]')])
  nowMs += 6 * MINUTES
  offer(priced('b', '0.000001'), strange)
  await waitForIds(catalogue, ['b'])
  expect(messages).toHaveLength(2)
  nowMs += 6 * MINUTES
  offer(priced('a', '0.000001'), strange)
  await waitForIds(catalogue, ['a'])
  expect(messages).toHaveLength(2)
})

test('an operator is told once of priced models that are not offered, and not while an upstream is down', async () => {
  const both = { prompt: '0.000001', completion: '0', input_second: '0.0001' }
  const prices = { a: priced('a', '0.000003').pricing, 'a/typo': both, 'a/whisper': both }
  const offer = (...ids: string[]) =>
    upstream.setScript({ models: { body: { data: ids.map(id => priced(id, '0.000001')) } } })
  upstream.setScript({ models: { status: 500, body: 'oops' } })
  const catalogue = create({ modelPrices: { text: JSON.stringify(prices), setBy: 'MODEL_PRICES_TEXT' } })
  expect(await idsOf(catalogue)).toEqual([])
  const told = () => messages.filter(message => message.includes('priced'))
  expect(told()).toEqual([])
  for (const ids of [
    ['a', 'a/whisper'],
    ['a', 'b', 'a/whisper'],
  ]) {
    offer(...ids)
    nowMs += 6 * MINUTES
    await waitForIds(catalogue, ids.slice(0, -1))
    expect(told()).toEqual([expect.stringContaining('["a/typo","a/whisper"]')])
  }
})

describe('an upstream that fails', () => {
  test.each([
    ['redirects', { status: 302, headers: { location: '/v1/elsewhere' }, body: '' }],
    ['fails', { status: 500, body: 'oops' }],
    ['refuses the key', { status: 401, body: { error: { message: 'no' } } }],
    ['sends a page', { body: '<html>' }],
    ['cuts the connection', { beforeHeaders: [{ type: 'destroy' as const }] }],
  ])('that %s offers nothing, and is reported without its URL or key', async (_, answer) => {
    upstream.setScript({ models: answer })
    expect(await idsOf(create())).toEqual([])
    expect(upstream.requests.map(request => request.path)).toEqual(['/models'])
    expect(messages).toHaveLength(1)
    expect(messages.join()).not.toMatch(/sk-upstream/)
  })

  test('that never answers is given up after the timeout', async () => {
    upstream.setScript({ models: { beforeHeaders: [{ type: 'hang' }] } })
    expect(await idsOf(create({ listTimeoutMs: 50 }))).toEqual([])
    // On a slow machine it may not even have arrived.
    for (const { ended } of upstream.requests) expect(await ended).toBe('aborted')
  })

  test('that sends more than the size limit offers nothing', async () => {
    const padding = ' '.repeat(17 * 1024 * 1024)
    upstream.setScript({
      models: { body: `{"data":[{"id":"a","pricing":{"prompt":"0","completion":"0"}}]}${padding}` },
    })
    expect(await idsOf(create())).toEqual([])
  })
})

describe('the list', () => {
  test('has the models with a usable price, with the markup, and is requested with the key', async () => {
    const markup = parseDecimal('0.5') ?? ZERO
    const catalogue = create({ priceMarkup: markup })
    const models = await catalogue.listModels()
    expect(models.map(({ id, prices }) => [id, formatDecimal(prices.prompt)])).toEqual([['a', '0.0000015']])
    expect(await catalogue.findModel('b')).toBeNull()
    expect((await catalogue.findModel('a'))?.upstreamIds).toEqual(['upstream'])
    expect(upstream.requests[0]?.headers.authorization).toBe('Bearer sk-upstream')
  })

  test('is loaded once for parallel callers', async () => {
    const catalogue = create()
    await Promise.all(Array.from({ length: 50 }, () => catalogue.listModels()))
    expect(upstream.requests).toHaveLength(1)
  })

  test('is kept while fresh, and served stale while it is refreshed', async () => {
    const catalogue = create()
    await catalogue.listModels()
    upstream.setModels([priced('c', '0')])
    nowMs = 4 * MINUTES
    expect(await idsOf(catalogue)).toEqual(['a'])
    expect(upstream.requests).toHaveLength(1)
    upstream.setScript({ models: { beforeHeaders: [{ type: 'gate', name: 'refresh' }] } })
    nowMs = 6 * MINUTES
    expect(await idsOf(catalogue)).toEqual(['a'])
    await upstream.gates.reached('refresh')
    expect(await idsOf(catalogue)).toEqual(['a'])
    upstream.gates.open('refresh')
    await waitForIds(catalogue, ['c'])
    expect(upstream.requests).toHaveLength(2)
  })

  test('is refreshed by work that is announced to the platform', async () => {
    const announced: Promise<unknown>[] = []
    const catalogue = create({ keepAlive: work => announced.push(work) })
    await catalogue.listModels()
    upstream.setModels([priced('c', '0')])
    nowMs = 6 * MINUTES
    expect(await idsOf(catalogue)).toEqual(['a'])
    await Promise.all(announced)
    expect(await idsOf(catalogue)).toEqual(['c'])
    expect(announced).toHaveLength(1)
  })

  test('is waited for if nobody has come for so long that prices may have changed', async () => {
    const catalogue = create()
    await catalogue.listModels()
    upstream.setModels([priced('a', '0.000009')])
    nowMs = 11 * MINUTES
    expect((await catalogue.findModel('a'))?.prices.prompt).toEqual(parseDecimal('0.000009'))
  })

  test('is loaded again in time even if the system clock was set back', async () => {
    const date = jest.spyOn(Date, 'now')
    const uptime = jest.spyOn(performance, 'now')
    try {
      const catalogue = create({ now: undefined })
      await catalogue.listModels()
      const [dateMs, uptimeMs] = [Date.now(), performance.now()]
      date.mockReturnValue(dateMs - 60 * MINUTES)
      uptime.mockReturnValue(uptimeMs + 6 * MINUTES)
      await catalogue.listModels()
      expect((await upstream.requestTo('/models', 1)).path).toBe('/models')
    } finally {
      date.mockRestore()
      uptime.mockRestore()
    }
  })

  test('becomes empty if a valid answer is empty', async () => {
    const catalogue = create()
    await catalogue.listModels()
    upstream.setModels([])
    nowMs = 6 * MINUTES
    await catalogue.listModels()
    await waitForIds(catalogue, [])
    expect(messages).toEqual([])
  })
})

describe('the last good copy', () => {
  test('in memory is served while the upstream is down, and replaced when it is back', async () => {
    const catalogue = create({ store: null })
    await catalogue.listModels()
    upstream.setScript({ models: { status: 503, body: 'down' } })
    nowMs = 6 * MINUTES
    await catalogue.listModels()
    await (await upstream.requestTo('/models', 1)).ended
    while (messages.length === 0) await new Promise(resolve => setImmediate(resolve))
    expect(await idsOf(catalogue)).toEqual(['a'])
    upstream.setScript({})
    upstream.setModels([priced('d', '0')])
    nowMs = 7 * MINUTES
    await catalogue.listModels()
    await waitForIds(catalogue, ['d'])
  })

  test('in the store serves a start with the upstream down', async () => {
    const store = createMemoryStore()
    await create({ store }).listModels()
    upstream.setScript({ models: { status: 503, body: 'down' } })
    expect(await idsOf(create({ store }))).toEqual(['a'])
  })

  test('of another URL is not used', async () => {
    const store = createMemoryStore()
    await create({ store }).listModels()
    expect(await idsOf(create({ store, upstreams: [upstreamAt(NOWHERE)] }))).toEqual([])
  })

  test('that is damaged is ignored', async () => {
    const store = createMemoryStore()
    await create({ store }).listModels()
    for (const key of store.copies.keys()) store.copies.set(key, '{"data":')
    upstream.setScript({ models: { status: 503, body: 'down' } })
    expect(await idsOf(create({ store }))).toEqual([])
  })

  test('that is missing gives an empty list, and the upstream is asked again soon', async () => {
    upstream.setScript({ models: [{ status: 503, body: 'down' }, {}] })
    const catalogue = create()
    expect(await idsOf(catalogue)).toEqual([])
    expect(await catalogue.secondsToMissingList()).toBe(2)
    expect(await idsOf(catalogue)).toEqual([])
    nowMs = 3_000
    expect(await idsOf(catalogue)).toEqual(['a'])
    expect(await catalogue.secondsToMissingList()).toBe(null)
  })

  test('that is missing beside another list is waited for, but not for ever', async () => {
    const upstreams = [upstreamAt(upstream.baseUrl), upstreamAt(NOWHERE, { id: 'nowhere' })]
    const catalogue = create({ upstreams })
    expect(await catalogue.secondsToMissingList()).toBe(15)
    nowMs = 11 * MINUTES
    await catalogue.listModels()
    expect(await idsOf(catalogue)).toEqual(['a'])
    expect(await catalogue.secondsToMissingList()).toBe(null)
  })
})

describe('several upstreams', () => {
  test('are merged in order, and one that is down does not affect the others', async () => {
    const second = await startStandInUpstream({ models: [priced('a', '0.000001'), priced('z', '0')] })
    const upstreams = [
      upstreamAt(NOWHERE, { id: 'nowhere' }),
      upstreamAt(upstream.baseUrl, { id: 'first' }),
      upstreamAt(second.baseUrl, { id: 'second' }),
    ]
    const models = await create({ upstreams }).listModels()
    await second.close()
    expect(
      models.map(({ id, prices, upstreamIds }) => [id, formatDecimal(prices.prompt), upstreamIds]),
    ).toEqual([
      ['a', '0.000001', ['first', 'second']],
      ['z', '0', ['second']],
    ])
  })

  test('on this machine are free while they answer, and not offered when they do not', async () => {
    const local = await startStandInUpstream({ models: [{ id: 'llama3.2:latest', object: 'model' }] })
    const localUpstreams = [upstreamAt(NOWHERE, { id: 'gone' }), upstreamAt(local.baseUrl, { id: 'ollama' })]
    // On a busy machine a program of its own is late, too.
    const limits = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(new AbortController().signal)
    const catalogue = create({ localUpstreams })
    const model = await catalogue.findModel('llama3.2:latest')
    expect(model).toMatchObject({ upstreamIds: ['ollama'], prices: { prompt: ZERO, completion: ZERO } })
    expect(messages).toEqual([])
    await local.close()
    nowMs = 6 * MINUTES
    await catalogue.listModels()
    await waitForIds(catalogue, ['a'])
    limits.mockRestore()
  })
})

describe("the operator's own prices", () => {
  const given = (text: string) => ({ setBy: 'MODEL_PRICES_FILE', text })

  test.each(['{"a": {"prompt": "-1", "completion": "0"}}', '[]'])(
    'that are unusable stop the start, and the error names the setting: %s',
    text => {
      expect(() => create({ modelPrices: given(text) })).toThrow(SettingsError)
      expect(() => create({ modelPrices: given(text) })).toThrow('MODEL_PRICES_FILE is not valid')
    },
  )

  test('price a list without prices', async () => {
    upstream.setModels([{ id: 'plain', object: 'model', created: 1, owned_by: 'x' }, { id: 'unpriced' }])
    const modelPrices = given('{"plain": {"prompt": "0.000001", "completion": "0.000002"}}')
    expect(await idsOf(create({ modelPrices }))).toEqual(['plain'])
  })

  test('are the list of an upstream that has no such route, which the operator is told once', async () => {
    upstream.setScript({ models: { status: 404, body: 'Not Found' } })
    const refreshes: Promise<unknown>[] = []
    const catalogue = create({
      modelPrices: given('{"only": {"prompt": "0", "completion": "0"}}'),
      keepAlive: work => refreshes.push(work),
    })
    expect(await idsOf(catalogue)).toEqual(['only'])
    nowMs = 4 * MINUTES
    expect(await idsOf(catalogue)).toEqual(['only'])
    expect(refreshes).toEqual([])
    nowMs = 11 * MINUTES
    expect(await idsOf(catalogue)).toEqual(['only'])
    await upstream.requestTo('/models', 1)
    expect(messages).toEqual([expect.stringContaining('MODEL_PRICES_FILE')])
  })
})

test('a failing store does not crash the process while a stale list is served', async () => {
  const store = createMemoryStore()
  const catalogue = create({ store })
  await catalogue.listModels()
  jest.spyOn(store, 'save').mockRejectedValue(new Error('broken'))
  nowMs = 6 * MINUTES
  expect(await idsOf(catalogue)).toEqual(['a'])
  while (messages.length === 0) await new Promise(resolve => setImmediate(resolve))
  expect(messages).toEqual(['catalogue: a refresh failed; serving the last list.'])
})
