import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { formatDecimal } from '@/lib/money/decimal'
import { type StandInUpstream, startStandInUpstream } from '@/test/stand-ins/upstream'
import { fetchGenerationRecord } from './fetch-generation-record'
import { upstreamAt } from './testing'

let upstream: StandInUpstream

beforeEach(async () => {
  upstream = await startStandInUpstream()
})
afterEach(() => upstream.close())

function fetchRecord(fields: Partial<Parameters<typeof fetchGenerationRecord>[0]> = {}) {
  return fetchGenerationRecord({
    upstream: upstreamAt(upstream.baseUrl),
    generationId: 'gen-1',
    retryDelaysMs: [1, 1],
    ...fields,
  })
}

const record = (totalCost: unknown) => ({ body: { data: { id: 'gen-1', total_cost: totalCost } } })

describe('there is no record', () => {
  test.each([['a/../b'], [''], ['a b'], ['x'.repeat(201)]])(
    'for the malformed id %j, without a request',
    async id => {
      expect(await fetchRecord({ generationId: id })).toBeNull()
      expect(upstream.requests).toEqual([])
    },
  )

  test('when it does not appear within the attempts', async () => {
    upstream.setScript({ generation: { status: 404, body: { error: { message: 'not found' } } } })
    expect(await fetchRecord()).toBeNull()
    expect(upstream.requests).toHaveLength(3)
  })

  test.each([[-1], [null], ['NaN'], [{}], [undefined]])(
    'when its cost is %j, without another request',
    async cost => {
      upstream.setScript({ generation: record(cost) })
      expect(await fetchRecord()).toBeNull()
      expect(upstream.requests).toHaveLength(1)
    },
  )

  test('when the upstream redirects', async () => {
    upstream.setScript({ generation: { status: 302, headers: { location: '/v1/models' }, body: '' } })
    expect(await fetchRecord({ retryDelaysMs: [] })).toBeNull()
    expect(upstream.requests.map(request => request.path)).toEqual(['/generation?id=gen-1'])
  })

  test('when the caller gives up', async () => {
    upstream.setScript({ generation: { beforeHeaders: [{ type: 'gate', name: 'asked' }, { type: 'hang' }] } })
    const giveUp = new AbortController()
    const answer = fetchRecord({ signal: giveUp.signal })
    await upstream.gates.reached('asked')
    giveUp.abort()
    expect(await answer).toBeNull()
    expect(upstream.requests).toHaveLength(1)
  })
})

test.each([
  ['the host’s cost is null', { upstream_inference_cost: null }, null],
  ['the host’s cost is missing', {}, null],
  ['the host’s cost is negative', { upstream_inference_cost: -0.2 }, null],
  ['the host’s cost is given', { upstream_inference_cost: 0.2 }, '0.21'],
])(
  'a bill of the operator’s own key at the model’s host is part of the cost, and without it there is no record, where %s',
  async (_, told, costUsd) => {
    const data = { id: 'gen-1', total_cost: 0.01, is_byok: true, ...told }
    upstream.setScript({ generation: { body: { data } } })
    const found = await fetchRecord()
    expect(found && formatDecimal(found.costUsd)).toBe(costUsd)
  },
)

test('a cost is read exactly', async () => {
  upstream.setScript({ generation: { body: '{"data":{"total_cost":0.00000123456789012345678}}' } })
  const found = await fetchRecord()
  expect(found && formatDecimal(found.costUsd)).toBe('0.00000123456789012345678')
})

test('a record that appears late is found', async () => {
  upstream.setScript({ generation: [{ status: 404, body: '' }, { status: 500, body: '' }, record(1.4e-6)] })
  const found = await fetchRecord()
  expect(found && formatDecimal(found.costUsd)).toBe('0.0000014')
  expect(upstream.requests[0]?.headers.authorization).toBe('Bearer sk-upstream')
})
