import { spawn } from 'node:child_process'
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
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
import { checkCharge, readSigned, reckon } from './verify-receipt'

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
    for (const costBasis of ['upstream_tokens', 'upstream_cost', 'upstream_record'] as const)
      expect(checkCharge(receipt({ costBasis, heldNano: 9_000n, chargedNano: 25_000n }))).toMatchObject({
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
    [{ input_second: '0.0001', recording_min: '0.001' }, 1_100_000n],
    [{ input_second: '0.00001', recording_min: '0.001', request: '0.0005' }, 1_500_000n],
  ])('counts the units of the price: %j', (priceSnapshot, chargedNano) => {
    const spoken = { priceSnapshot: { prompt: '0', completion: '0', ...priceSnapshot }, chargedNano }
    expect(checkCharge(receipt({ ...spoken, inputTokenCount: 11 })).outcome).toBe('right')
  })

  test.each([
    ['chat', 'wrong'],
    ['image', 'right'],
    ['speech', 'right'],
    ['transcription', 'right'],
    ['embedding', 'right'],
  ] as const)('at the prices of a dearer hour, for %s: %s', (queryType, outcome) => {
    const morning = JSON.stringify({ utc_start: '900', utc_end: '1200', prompt: '0.000001' })
    const priceSnapshot = { prompt: '0.000003', completion: '0', 'overrides.0': morning }
    const told = receipt({ queryType, priceSnapshot, inputTokenCount: 11, chargedNano: 33_000n })
    expect(checkCharge(told).outcome).toBe(outcome)
  })
})

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

describe('the signature of a receipt', () => {
  const own = generateKeyPairSync('ed25519')
  const keysOf = (key: KeyObject) => ({ keys: [{ ...key.export({ format: 'jwk' }), kid: 'one' }] })
  const HEADER = { alg: 'EdDSA', typ: 'receipt+jws', kid: 'one' }
  const told = receipt({})
  const PAYLOAD = {
    ...told,
    price_version: `sha256:${createHash('sha256').update(JSON.stringify(told.prices)).digest('hex')}`,
  }
  const read = (jws: string, key = own.publicKey) => readSigned(jws, keysOf(key), PAYLOAD.iss)
  function write(header: object, payload: object, key = own.privateKey): string {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const signed = `${part(header)}.${part(payload)}`
    return `${signed}.${sign(null, Buffer.from(signed), key).toString('base64url')}`
  }
  const whole = write(HEADER, PAYLOAD)

  test('is valid over a whole receipt by the key that it names', () => {
    expect(read(whole)).toEqual(PAYLOAD)
  })

  test.each([
    ['another algorithm', write({ ...HEADER, alg: 'HS256' }, PAYLOAD), 'not a receipt'],
    ['something else than a receipt', write({ ...HEADER, typ: 'JWT' }, PAYLOAD), 'not a receipt'],
    ['conditions unknown here', write({ ...HEADER, crit: ['b64'] }, PAYLOAD), 'not a receipt'],
    ['an unknown key', write({ ...HEADER, kid: 'two' }, PAYLOAD), 'does not publish the key two'],
    ['a later version', write(HEADER, { ...PAYLOAD, version: 2 }), 'version of this receipt is unknown'],
    ['other prices than it names', write(HEADER, { ...PAYLOAD, prices: {} }), 'does not match the prices'],
    ['one part more', `${whole}.`, 'not a compact JWS'],
    ['a damaged header', `x${whole}`, 'not a compact JWS'],
    ['one part less', whole.slice(0, whole.lastIndexOf('.')), 'not a compact JWS'],
  ])('is refused over %s', (_what, jws, sentence) => {
    expect(() => read(jws)).toThrow(sentence)
  })

  test('is refused by another key, and by one of another kind', () => {
    const [other, curve] = [
      generateKeyPairSync('ed25519'),
      generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    ]
    expect(() => read(write(HEADER, PAYLOAD, other.privateKey))).toThrow('does not match')
    expect(() => read(whole, curve.publicKey)).toThrow('not an Ed25519 key')
  })

  test('is written in one way alone', () => {
    const bytes = (text: string) => Buffer.from(text.split('.')[2] ?? '', 'base64url')
    const others = [...BASE64URL].map(last => `${whole.slice(0, -1)}${last}`)
    const same = others.filter(text => text !== whole && bytes(text).equals(bytes(whole)))
    expect(same).toHaveLength(15)
    for (const text of [...same, `${whole}=`]) expect(() => read(text)).toThrow('does not match')
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
