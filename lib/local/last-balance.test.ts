/** @jest-environment jsdom */
import { beforeEach, expect, test } from '@jest/globals'
import { lastBalanceStore } from './last-balance'

const CREDIT_ID = '3f0c2f9e-8d1b-4c53-9f3e-0a4f1c2d3e4f'
const OTHER_CREDIT_ID = '11111111-8d1b-4c53-9f3e-0a4f1c2d3e4f'

const noteAll = (amountsUsd: readonly number[], creditId = CREDIT_ID) => {
  for (const amountUsd of amountsUsd) lastBalanceStore.note(creditId, amountUsd, 0)
  return lastBalanceStore.getSnapshot()?.afterTopUpUsd
}

beforeEach(() => localStorage.clear())

test.each([
  ['the first balance', [1], 1],
  ['more than ever', [1, 0.5, 2], 2],
  ['a top-up below the last one', [10, 0.5, 2], 2],
  ['a hold that was given back', [1, 0.05, 0.09], 1],
  ['what was spent', [1, 0.5, 0.4], 1],
  ['nothing left', [1, 0.1, 0], 1],
  ['nothing at all', [0], null],
])('the balance after the last top-up is kept: %s', (_what, amountsUsd, afterTopUpUsd) => {
  expect(noteAll(amountsUsd)).toBe(afterTopUpUsd)
})

test('another credit starts without it', () => {
  noteAll([20])
  expect(noteAll([1], OTHER_CREDIT_ID)).toBe(1)
})

test('a value of an earlier version or a damaged one is ignored', () => {
  localStorage.setItem('lastBalance', '{"creditSegment":"3f0c2f9e","amountUsd":2,"atMs":0}')
  expect(lastBalanceStore.getSnapshot()).toMatchObject({ amountUsd: 2, afterTopUpUsd: null })
  localStorage.setItem('lastBalance', '{"creditSegment":7')
  expect(lastBalanceStore.getSnapshot()).toBeNull()
})
