import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { cost } from '@/lib/catalogue/domain/cost'
import type { Prices } from '@/lib/catalogue/domain/model'
import { PRICE_FIELDS } from '@/lib/catalogue/domain/price-fields'
import { parsePriceSnapshot, priceSnapshot } from '@/lib/catalogue/domain/price-snapshot'
import { countsOf } from '@/lib/exchange/domain/decide-charge'
import { type CallReceipt, receiptOf } from '@/lib/ledger/domain/receipts'
import type { UsageRecord } from '@/lib/ledger/domain/usage'
import { EXCHANGE, USAGE } from '@/lib/ledger/testing'
import { checkCharge, reckon } from './verify-receipt'

const AT = new Date('2026-11-18T10:30:00.000Z')
const RECORD: UsageRecord = {
  ...USAGE,
  ...EXCHANGE,
  holdId: 'call',
  keyId: null,
  heldNano: 1_000_000_000_000n,
  chargedNano: 25_000n,
  createdAt: AT,
}

function receipt(part: Partial<UsageRecord>): CallReceipt {
  return receiptOf({ ...RECORD, ...part }, { iss: 'https://site.test', priceVersion: '' })
}

const price = fc.integer({ min: 0, max: 99_999 }).map(units => `0.0000${String(units).padStart(5, '0')}37`)
/** Prices that may be absent, without those that replace all others. */
const OTHER_PRICES = Object.values(PRICE_FIELDS).filter(
  field => !['prompt', 'completion', 'input_character', 'input_second'].includes(field),
)
const override = fc
  .record(
    {
      min_prompt_tokens: fc.integer({ min: 0, max: 2_000 }).map(String),
      utc_start: fc.constantFrom('900', '1500', '2300'),
      utc_end: fc.constantFrom('600', '1200', '2100'),
      service_tier: fc.constant('flex'),
      prompt: price,
      completion: price,
    },
    { requiredKeys: ['min_prompt_tokens', 'prompt', 'utc_start', 'utc_end'] },
  )
  .map(fields => JSON.stringify(fields))
const prices = fc
  .record({
    prompt: price,
    completion: price,
    others: fc.dictionary(fc.constantFrom(...OTHER_PRICES), price),
    overrides: fc.array(override, { maxLength: 3 }),
  })
  .map(({ others, overrides, ...usual }): Prices => {
    const numbered = overrides.map((text, index) => [`overrides.${index}`, text] as const)
    const parsed = parsePriceSnapshot({ ...usual, ...others, ...Object.fromEntries(numbered) })
    if (!parsed) throw new Error('These are no prices.')
    return parsed
  })
const count = fc.nat(3_000)
const usage = fc.record({
  inputTokenCount: count,
  cachedInputTokenCount: count,
  cacheWriteInputTokenCount: count,
  longCacheWriteInputTokenCount: count,
  audioInputTokenCount: count,
  imageInputTokenCount: count,
  outputTokenCount: count,
  reasoningTokenCount: count,
  audioOutputTokenCount: count,
  imageOutputTokenCount: count,
  imageCount: fc.nat(5),
  webSearchCount: fc.nat(5),
})

describe('the charge computed from a receipt', () => {
  test('is the charge of the site for any counts and prices', () => {
    fc.assert(
      fc.property(prices, usage, fc.constantFrom(null, 'flex'), (priced, counted, serviceTier) => {
        const chargedNano = cost({ prices: priced, usage: counted, at: AT, serviceTier })
        const told = receipt({
          ...countsOf(counted),
          priceSnapshot: priceSnapshot(priced),
          chargedNano,
          heldNano: chargedNano + 1n,
          pricedAs: { isOtherModel: false, serviceTier },
        })
        expect(reckon(told)).toEqual({ from: chargedNano, to: chargedNano })
        expect(checkCharge(told).outcome).toBe('right')
        const dearer = { ...told, charged_usd: told.held_usd }
        expect(checkCharge(dearer).outcome).toBe('wrong')
      }),
      { numRuns: 300 },
    )
  })

  test.each([
    ['local_count', 'right'],
    ['upstream_tokens', 'right'],
    ['upstream_cost', 'unknown'],
    ['upstream_record', 'unknown'],
    ['none', 'wrong'],
  ] as const)('explains a charge that comes from %s: %s', (costBasis, outcome) => {
    expect(checkCharge(receipt({ costBasis })).outcome).toBe(outcome)
  })

  test('is never above the hold, and zero without output', () => {
    expect(checkCharge(receipt({ heldNano: 9_000n, chargedNano: 9_000n }))).toMatchObject({
      outcome: 'right',
    })
    expect(checkCharge(receipt({ heldNano: 9_000n, chargedNano: 25_000n }))).toMatchObject({
      outcome: 'wrong',
    })
    const failed = { status: 'failed', costBasis: 'none', chargedNano: 0n } as const
    expect(checkCharge(receipt(failed)).outcome).toBe('right')
  })

  test('does not use the prices of a model that did not answer', () => {
    const pricedAs = { isOtherModel: true, serviceTier: null }
    expect(checkCharge(receipt({ chargedNano: 77n, pricedAs })).outcome).toBe('unknown')
  })

  test.each([
    [{ input_character: '0.00003', request: '0.001' }, 1_330_000n],
    [{ input_second: '0.0001' }, 1_100_000n],
  ])('counts the units of the price: %j', (priceSnapshot, chargedNano) => {
    const spoken = { priceSnapshot: { prompt: '0', completion: '0', ...priceSnapshot }, chargedNano }
    expect(checkCharge(receipt({ ...spoken, inputTokenCount: 11 })).outcome).toBe('right')
  })
})

describe('a receipt that cannot be checked', () => {
  test.each([
    ['a missing file', 'no-such-file.jws', 'ENOENT'],
    ['a site that does not answer', 'package.json', 'The keys of http://127.0.0.1:1 could not be fetched'],
  ])('is reported as such, not as wrong: %s', async (_what, file, sentence) => {
    const words = ['--no-warnings', 'scripts/verify-receipt.ts', file, 'http://127.0.0.1:1/']
    const child = spawn(process.execPath, words, { stdio: ['ignore', 'ignore', 'pipe'] })
    const [complaint, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'exit')])
    expect({ complaint, exitCode }).toEqual({ complaint: expect.stringContaining(sentence), exitCode: 2 })
  })
})
