import { describe, expect, test } from '@jest/globals'
import type { KeyView } from '@/lib/ledger/client/api-key'
import { EMPTY_KEY_FORM, keyFormValues, keyState, parseKeyForm } from './key-rules'

const NOW_MS = new Date(2026, 2, 30, 12, 0).getTime()
const CONTEXT = { before: null, fallbackLabel: 'API key', nowMs: NOW_MS }
const KEY: KeyView = {
  id: 'k',
  label: 'Editor',
  hint: 'abcd',
  usageLimitUsd: 5,
  usageUsd: 1,
  resetPeriod: 'weekly',
  expiresAtSeconds: Math.floor(new Date(2026, 4, 1, 17, 30).getTime() / 1000),
  createdAtSeconds: 0,
  revokedAtSeconds: null,
}

describe('a form that cannot be sent', () => {
  test.each([
    ['five', 'malformed'],
    ['-1', 'malformed'],
    ['1e3', 'malformed'],
    ['1.0000000001', 'malformed'],
    ['0', 'tooSmall'],
    ['0.009', 'tooSmall'],
    ['1000000.01', 'tooLarge'],
  ])('says of the limit %j that it is %s', (limitText, problem) => {
    expect(parseKeyForm({ ...EMPTY_KEY_FORM, limitText }, CONTEXT)).toEqual({ problems: { limit: problem } })
  })

  test('says that a day is over', () => {
    const values = { ...EMPTY_KEY_FORM, lastDay: '2026-03-29' }
    expect(parseKeyForm(values, CONTEXT)).toEqual({ problems: { expiry: 'past' } })
  })
})

describe('a form', () => {
  test('that is empty is a key without a limit or an end, under a general name', () => {
    expect(parseKeyForm(EMPTY_KEY_FORM, CONTEXT)).toEqual({
      change: { label: 'API key', usageLimitUsd: null, resetPeriod: 'none', expiresAtSeconds: null },
    })
  })

  test('with today as its last day lets the key work until midnight', () => {
    const parsed = parseKeyForm({ ...EMPTY_KEY_FORM, lastDay: '2026-03-30' }, CONTEXT)
    const midnight = new Date(2026, 2, 31).getTime() / 1000
    expect(parsed).toMatchObject({ change: { expiresAtSeconds: midnight } })
  })

  test.each([
    ['0.01', 0.01],
    [' $5 ', 5],
    ['2,50', 2.5],
    ['1000000', 1_000_000],
  ])('reads the limit %j as %d', (limitText, usageLimitUsd) => {
    expect(parseKeyForm({ ...EMPTY_KEY_FORM, limitText }, CONTEXT)).toMatchObject({
      change: { usageLimitUsd },
    })
  })

  test('without a limit has nothing to start anew', () => {
    const parsed = parseKeyForm({ ...EMPTY_KEY_FORM, resetPeriod: 'daily' }, CONTEXT)
    expect(parsed).toMatchObject({ change: { resetPeriod: 'none' } })
  })

  test('of a key gives the key back unchanged, its exact end included', () => {
    expect(parseKeyForm(keyFormValues(KEY), { ...CONTEXT, before: KEY })).toEqual({
      change: {
        label: 'Editor',
        usageLimitUsd: 5,
        resetPeriod: 'weekly',
        expiresAtSeconds: KEY.expiresAtSeconds,
      },
    })
  })
})

test.each([
  ['revoked', { revokedAtSeconds: 1, expiresAtSeconds: 1, usageUsd: 9 }],
  ['expired', { expiresAtSeconds: NOW_MS / 1000, usageUsd: 9 }],
  ['limitReached', { usageUsd: 5 }],
  ['active', { usageUsd: 4.999999999 }],
  ['active', { usageLimitUsd: null, usageUsd: 500 }],
] as const)('a key is %s with %j', (state, part) => {
  expect(keyState({ ...KEY, ...part }, NOW_MS)).toBe(state)
})
