/** @jest-environment jsdom */
import { afterEach, expect, test } from '@jest/globals'
import { cleanup } from '@testing-library/react'
import { renderInEnglish } from '@/components/account/testing'
import type { Query } from '@/lib/api/contracts/queries'
import { UsageCounts } from './usage-counts'

afterEach(cleanup)

const ENTRY: Query = {
  id: 'e1',
  timestamp: '2026-11-20T12:00:00Z',
  model: 'vendor/model',
  input_count: 1200,
  cached_input_count: 0,
  output_count: 30,
  reasoning_count: 0,
  price_in_usd: 0.001,
  held_usd: 0.01,
  query_type: 'chat',
  query_source: 'web',
  api_key_id: null,
  status: 'completed',
  error_code: null,
  estimated: false,
  cost_basis: 'local_count',
  price_snapshot: { prompt: '0', completion: '0' },
  duration_ms: 10,
  time_to_first_token_ms: 5,
}

test.each([
  [{ prompt: '0', completion: '0' }, '1,200 in30 out'],
  [{ prompt: '0', completion: '0', input_character: '0.00001' }, '1,200 characters'],
  [{ prompt: '0', completion: '0', input_second: '0.0001' }, '1,200 seconds'],
])('a call at %j was counted as %s', (price_snapshot, text) => {
  const { container } = renderInEnglish(<UsageCounts entry={{ ...ENTRY, price_snapshot }} />)
  expect(container.textContent).toBe(text)
})

test('what was drawn at a price of its own was not counted in tokens', () => {
  const drawn = { ...ENTRY, query_type: 'image' as const, input_count: 0, output_count: 0 }
  const { container } = renderInEnglish(<UsageCounts entry={drawn} />)
  expect(container.textContent).toBe('Pictures')
})
