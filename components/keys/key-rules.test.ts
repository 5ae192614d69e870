import { describe, expect, test } from '@jest/globals'
import type { Key } from '@/lib/api/contracts/keys'
import { EMPTY_KEY_FORM, keyFormValues, keyState, nextResetMs, parseKeyForm } from './key-rules'

const NOW_MS = new Date(2026, 2, 30, 12, 0).getTime()
const CONTEXT = { before: null, locale: 'en', nowMs: NOW_MS }
const KEY: Key = {
  id: 'k',
  label: 'Editor',
  hint: 'abcd',
  usage_limit_usd: 5,
  usage_usd: 1,
  reset_period: 'weekly',
  routing: null,
  expire_at: Math.floor(new Date(2026, 4, 1, 17, 30).getTime() / 1000),
  created_at: 0,
  revoked_at: null,
}

describe('a form with problems', () => {
  test.each([
    ['five', 'malformed'],
    ['-1', 'too_small'],
    ['1e3', 'malformed'],
    ['1.0000000001', 'malformed'],
    ['0', 'too_small'],
    ['0.009', 'too_small'],
    ['1000000.01', 'too_large'],
  ])('reports the limit %j as %s', (limitText, problem) => {
    expect(parseKeyForm({ ...EMPTY_KEY_FORM, limitText }, CONTEXT)).toEqual({ problems: { limit: problem } })
  })

  test('reports a day in the past', () => {
    const values = { ...EMPTY_KEY_FORM, lastDay: '2026-03-29' }
    expect(parseKeyForm(values, CONTEXT)).toEqual({ problems: { expiry: 'past' } })
  })
})

test('the amounts of a key are formatted in the language, and read back unchanged', () => {
  const provider = { zdr: false, data_collection: 'allow' as const, max_price: { prompt: '1.25' } }
  const routing = { provider, service_tier: null, max_charge_usd: 0.0000001, models: null }
  const before = { ...KEY, usage_limit_usd: 1234.5, routing }
  const values = keyFormValues(before, 'de')
  expect(values).toMatchObject({
    limitText: '1234,50',
    promptPriceText: '1,25',
    maxChargeText: '0,0000001',
  })
  expect(parseKeyForm(values, { ...CONTEXT, locale: 'de', before })).toMatchObject({
    change: { usage_limit_usd: 1234.5, routing: { max_charge_usd: 0.0000001 } },
  })
})

describe('a form', () => {
  test('that is empty is a key without limit, expiry or name', () => {
    expect(parseKeyForm(EMPTY_KEY_FORM, CONTEXT)).toEqual({
      change: {
        label: '',
        usage_limit_usd: null,
        reset_period: 'none',
        routing: null,
        expire_at: null,
      },
    })
  })

  test('with today as its last day lets the key work until midnight', () => {
    const parsed = parseKeyForm({ ...EMPTY_KEY_FORM, lastDay: '2026-03-30' }, CONTEXT)
    const midnight = new Date(2026, 2, 31).getTime() / 1000
    expect(parsed).toMatchObject({ change: { expire_at: midnight } })
  })

  test.each([
    ['0.01', 0.01],
    [' $5 ', 5],
    ['2,50', 2.5],
    ['1000000', 1_000_000],
  ])('reads the limit %j as %d', (limitText, usage_limit_usd) => {
    expect(parseKeyForm({ ...EMPTY_KEY_FORM, limitText }, CONTEXT)).toMatchObject({
      change: { usage_limit_usd },
    })
  })

  test.each([
    ['de', '1.000', { change: { usage_limit_usd: 1000 } }],
    ['de', '1.000,50', { change: { usage_limit_usd: 1000.5 } }],
    ['en', '1.000', { problems: { limit: [1, 1000] } }],
    ['de', '1,125', { problems: { limit: [1.125, 1125] } }],
    ['de', '1,1250', { change: { usage_limit_usd: 1.125 } }],
  ])('in %s reads the limit %j like the amount of a top-up', (locale, limitText, expected) => {
    const context = { ...CONTEXT, locale }
    expect(parseKeyForm({ ...EMPTY_KEY_FORM, limitText }, context)).toMatchObject(expected)
  })

  test('of a key whose limit has three decimals is not ambiguous', () => {
    const before = { ...KEY, usage_limit_usd: 1.125 }
    for (const locale of ['en', 'de']) {
      const context = { ...CONTEXT, locale, before }
      expect(parseKeyForm(keyFormValues(before, locale), context)).toMatchObject({
        change: { usage_limit_usd: 1.125 },
      })
    }
  })

  test('sets the chosen host restrictions, and keeps those that it does not show', () => {
    const values = { ...EMPTY_KEY_FORM, hosts: 'zdr' as const, completionPriceText: '$2,5' }
    expect(parseKeyForm(values, CONTEXT)).toMatchObject({
      change: {
        routing: {
          provider: { zdr: true, data_collection: 'deny', max_price: { prompt: null, completion: '2.5' } },
        },
      },
    })
    expect(parseKeyForm({ ...values, promptPriceText: 'much' }, CONTEXT)).toEqual({
      problems: { promptPrice: 'malformed' },
    })
    const provider = { zdr: false, data_collection: 'deny' as const, max_price: { request: '1' } }
    const unlimited = { max_charge_usd: null, models: null }
    const before = { ...KEY, routing: { provider, service_tier: 'flex' as const, ...unlimited } }
    expect(parseKeyForm(keyFormValues(before, 'en'), { ...CONTEXT, before })).toMatchObject({
      change: { routing: before.routing },
    })
    expect(
      parseKeyForm({ ...keyFormValues(before, 'en'), hosts: 'any' }, { ...CONTEXT, before }),
    ).toMatchObject({
      change: { routing: { provider: { data_collection: 'allow', max_price: { request: '1' } } } },
    })
  })

  test('sets the limit per request and the allowed models', () => {
    const values = { ...EMPTY_KEY_FORM, maxChargeText: '0,02', modelsText: ' a/one,\nb/two a/one' }
    const parsed = parseKeyForm(values, CONTEXT)
    expect(parsed).toMatchObject({
      change: { routing: { max_charge_usd: 0.02, models: ['a/one', 'b/two'] } },
    })
    for (const maxChargeText of ['0', 'much']) {
      expect(parseKeyForm({ ...values, maxChargeText }, CONTEXT)).toEqual({
        problems: { maxCharge: 'malformed' },
      })
    }
  })

  test('without a limit has no reset period', () => {
    const parsed = parseKeyForm({ ...EMPTY_KEY_FORM, resetPeriod: 'daily' }, CONTEXT)
    expect(parsed).toMatchObject({ change: { reset_period: 'none' } })
  })

  test('filled from a key gives that key back unchanged, exact expiry included', () => {
    expect(parseKeyForm(keyFormValues(KEY, 'en'), { ...CONTEXT, before: KEY })).toEqual({
      change: {
        label: 'Editor',
        usage_limit_usd: 5,
        reset_period: 'weekly',
        routing: null,
        expire_at: KEY.expire_at,
      },
    })
  })
})

test.each([
  ['revoked', { revoked_at: 1, expire_at: 1, usage_usd: 9 }],
  ['expired', { expire_at: NOW_MS / 1000, usage_usd: 9 }],
  ['limitReached', { usage_usd: 5 }],
  ['active', { usage_usd: 4.999999999 }],
  ['active', { usage_limit_usd: null, usage_usd: 500 }],
] as const)('a key is %s with %j', (state, part) => {
  expect(keyState({ ...KEY, ...part }, NOW_MS)).toBe(state)
})

test.each([
  ['daily', '2026-11-28T23:30:00Z', '2026-11-29T00:00:00Z'],
  ['weekly', '2026-11-29T23:30:00Z', '2026-11-30T00:00:00Z'],
  ['weekly', '2026-11-30T00:00:00Z', '2026-12-07T00:00:00Z'],
  ['monthly', '2026-12-31T12:00:00Z', '2027-01-01T00:00:00Z'],
] as const)('a %s limit at %s begins anew at %s', (period, now, next) => {
  expect(new Date(nextResetMs(period, Date.parse(now))).toISOString()).toBe(next.replace('Z', '.000Z'))
})
