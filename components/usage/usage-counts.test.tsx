/** @jest-environment jsdom */
import { afterEach, expect, test } from '@jest/globals'
import { cleanup } from '@testing-library/react'
import { renderInEnglish } from '@/test/support/render'
import { someCall } from './testing'
import { UsageCounts } from './usage-counts'

afterEach(cleanup)

const ENTRY = someCall({ input_count: 1200, output_count: 30 })

test.each([
  [{ prompt: '0', completion: '0' }, '1,200 in30 out'],
  [{ prompt: '0', completion: '0', input_character: '0.00001' }, '1,200 characters'],
  [{ prompt: '0', completion: '0', input_second: '0.0001' }, '1,200 seconds'],
])('a call with the prices %j shows its counts as %s', (price_snapshot, text) => {
  const { container } = renderInEnglish(<UsageCounts entry={{ ...ENTRY, price_snapshot }} />)
  expect(container.textContent).toBe(text)
})

test('an image call with a price per picture shows no tokens', () => {
  const drawn = { ...ENTRY, query_type: 'image' as const, input_count: 0, output_count: 0 }
  const { container } = renderInEnglish(<UsageCounts entry={drawn} />)
  expect(container.textContent).toBe('Pictures')
})
