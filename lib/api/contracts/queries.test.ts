import { describe, expect, test } from '@jest/globals'
import type { UsageRecord } from '@/lib/ledger/domain/usage'
import { usageQuery, usageToBody, usageToCsv } from './queries'

const record: UsageRecord = {
  holdId: '00000000-0000-4000-8000-000000000001',
  keyId: null,
  heldNano: 2_000_000n,
  chargedNano: 420n,
  createdAt: new Date('2026-11-20T12:00:00Z'),
  status: 'completed',
  errorCode: null,
  inputTokenCount: 12,
  cachedInputTokenCount: 4,
  outputTokenCount: 30,
  reasoningTokenCount: 0,
  estimated: false,
  costBasis: 'upstream_tokens',
  upstreamId: 'upstream',
  durationMs: 900,
  timeToFirstTokenMs: 120,
  queryType: 'chat',
  querySource: 'web',
  modelId: 'acme/one',
  priceSnapshot: { prompt: '0.000001' },
}

describe('the usage query', () => {
  test.each([
    { limit: '0' },
    { limit: '501' },
    { from: 'yesterday' },
    { api_key_id: '1' },
    { format: 'xml' },
  ])('refuses %j', query => {
    expect(usageQuery.safeParse(query).success).toBe(false)
  })

  test('accepts unix seconds and ISO 8601', () => {
    const parsed = usageQuery.parse({ from: '1763640000', to: '2026-11-20T12:00:00Z' })
    expect(parsed.from).toEqual(new Date(1_763_640_000_000))
    expect(parsed.to).toEqual(new Date('2026-11-20T12:00:00Z'))
  })
})

describe('usage as CSV', () => {
  test('has every digit of a charge far below a cent', () => {
    expect(usageToBody(record).price_in_usd).toBe(0.00000042)
    expect(usageToCsv([record])).toContain(',0.00000042,')
  })

  test('quotes values that would break a row', () => {
    expect(usageToCsv([{ ...record, modelId: 'a,"b"\nc' }])).toContain(',"a,""b""\nc",')
  })

  test.each(['=1+1', '+1', '-1', '@SUM(A1)'])('escapes a cell that a spreadsheet would run: %s', modelId => {
    expect(usageToCsv([{ ...record, modelId }])).toContain(`,'${modelId},`)
  })
})
