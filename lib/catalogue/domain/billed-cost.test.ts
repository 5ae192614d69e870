import { describe, expect, test } from '@jest/globals'
import { formatDecimal } from '@/lib/money/decimal'
import { readCost } from './billed-cost'

describe('the cost that an upstream reports', () => {
  test.each([undefined, null, Number.NaN, Number.POSITIVE_INFINITY, '', 'free', {}, [1], true, '1e309'])(
    'is null when it is %p',
    cost => {
      expect(readCost({ cost })).toBeNull()
    },
  )

  test.each([
    [0.00042, '0.00042'],
    ['0.00042', '0.00042'],
    [1e-7, '0.0000001'],
    [{ request_cost: 0.005, total_cost: 0.00542 }, '0.00542'],
  ])('is exact for %p', (cost, exact) => {
    const told = readCost({ cost })
    expect(told && formatDecimal(told)).toBe(exact)
  })

  test.each([
    [37_756_000, '0.0037756'],
    [1, '0.0000000001'],
    [0.5, null],
    ['400000000', null],
    [1e300, null],
  ])('is exact for %p ticks', (ticks, exact) => {
    const told = readCost({ cost_in_usd_ticks: ticks })
    expect(told && formatDecimal(told)).toBe(exact)
  })

  test('includes the host’s own bill if the operator’s own key was used there', () => {
    const report = { cost: 0.01, is_byok: true, cost_details: { upstream_inference_cost: 0.2 } }
    const told = readCost(report)
    expect(told && formatDecimal(told)).toBe('0.21')
    const negative = { ...report, cost_details: { upstream_inference_cost: -0.2 } }
    expect(readCost(negative)).toBeNull()
    expect(readCost({ ...report, cost: undefined })).toBeNull()
    const fee = readCost({ ...report, is_byok: 'no' })
    expect(fee && formatDecimal(fee)).toBe('0.01')
  })
})
