/** @jest-environment jsdom */
import { afterEach, expect, test } from '@jest/globals'
import { cleanup } from '@testing-library/react'
import { renderInEnglish } from '@/components/account/testing'
import type { UsageEntry } from '@/lib/ledger/client/usage-entry'
import { UsageCounts } from './usage-counts'

afterEach(cleanup)

const ENTRY: UsageEntry = {
  id: 'e1',
  timestamp: '2026-11-20T12:00:00Z',
  modelId: 'vendor/model',
  inputTokenCount: 1200,
  cachedInputTokenCount: 0,
  outputTokenCount: 30,
  reasoningTokenCount: 0,
  priceUsd: 0.001,
  heldUsd: 0.01,
  queryType: 'chat',
  source: 'web',
  keyId: null,
  status: 'completed',
  errorCode: null,
  estimated: false,
  costBasis: 'local_count',
  priceSnapshot: { prompt: '0', completion: '0' },
  durationMs: 10,
  timeToFirstTokenMs: 5,
}

test.each([
  [{ prompt: '0', completion: '0' }, '1,200 in30 out'],
  [{ prompt: '0', completion: '0', input_character: '0.00001' }, '1,200 characters'],
  [{ prompt: '0', completion: '0', input_second: '0.0001' }, '1,200 seconds'],
])('a call at %j was counted as %s', (priceSnapshot, text) => {
  const { container } = renderInEnglish(<UsageCounts entry={{ ...ENTRY, priceSnapshot }} />)
  expect(container.textContent).toBe(text)
})
