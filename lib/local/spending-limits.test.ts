/** @jest-environment jsdom */
import { afterEach, expect, test } from '@jest/globals'
import { ASKED_FROM_USD, isSpendingLimit, questionAbout, spendingLimitsStore } from './spending-limits'
import { SPENDING_LIMITS_KEY } from './storage/storage-keys'

const NONE = { messageUsd: null, conversationUsd: null }

afterEach(() => localStorage.clear())

test.each([0, 0.000000001, 10_000])('%s dollars are a limit', usd => {
  expect(isSpendingLimit(usd)).toBe(true)
})

test.each([-0.01, 10_000.01, Number.NaN, Number.POSITIVE_INFINITY])('%s dollars are no limit', usd => {
  expect(isSpendingLimit(usd)).toBe(false)
})

test.each([
  ['{"message_usd":0,"conversation_usd":2.5}', { messageUsd: 0, conversationUsd: 2.5 }],
  ['{"message_usd":0.5}', { messageUsd: 0.5, conversationUsd: null }],
  ['{"message_usd":-1,"conversation_usd":1e300}', NONE],
  ['{"message_usd":"1","conversation_usd":[1]}', NONE],
  ['[]', NONE],
  ['{', NONE],
])('%s in storage is read without what is no limit', (text, limits) => {
  localStorage.setItem(SPENDING_LIMITS_KEY, text)
  spendingLimitsStore.refresh()
  expect(spendingLimitsStore.getSnapshot()).toEqual(limits)
})

test.each([
  ['a known price decides, from ten cents on', NONE, { aboutUsd: ASKED_FROM_USD, mostUsd: 5 }, 'price'],
  ['below them nothing is asked, whatever it may cost', NONE, { aboutUsd: 0.099, mostUsd: 5 }, null],
  ['an unknown price is not asked about', NONE, { mostUsd: 5 }, null],
  ['a limit may be reached', { messageUsd: 0.02 }, { aboutUsd: 0.01, mostUsd: 0.02 }, null],
  ['a limit may not be exceeded', { messageUsd: 0.02 }, { aboutUsd: 0.01, mostUsd: 0.021 }, 'message'],
  ['a higher limit replaces the ten cents', { messageUsd: 1 }, { aboutUsd: 0.5, mostUsd: 1 }, null],
  ['where nothing is promised, the price is compared', { messageUsd: 0.02 }, { aboutUsd: 0.03 }, 'message'],
  [
    'what is free is never asked about',
    { messageUsd: 0, conversationUsd: 0 },
    { mostUsd: 0, spentUsd: 1 },
    null,
  ],
  ['nothing else is free with a limit of zero', { messageUsd: 0 }, { mostUsd: 0.000001 }, 'message'],
  ['a chat may reach its limit', { conversationUsd: 1 }, { mostUsd: 0.25, spentUsd: 0.75 }, null],
  ['nor exceed it', { conversationUsd: 1 }, { mostUsd: 0.25, spentUsd: 0.76 }, 'conversation'],
  [
    'the limit of the chat comes first',
    { messageUsd: 0.1, conversationUsd: 1 },
    { mostUsd: 0.25, spentUsd: 0.9 },
    'conversation',
  ],
  ['a limit of the chat leaves the ten cents', { conversationUsd: 9 }, { aboutUsd: 0.2 }, 'price'],
] as const)('%s', (_, limits, spending, about) => {
  const question = questionAbout(
    { ...NONE, ...limits },
    { aboutUsd: null, mostUsd: null, spentUsd: 0, ...spending },
  )
  expect(question?.about ?? null).toBe(about)
})
