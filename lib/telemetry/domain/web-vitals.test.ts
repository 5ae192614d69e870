import { expect, test } from '@jest/globals'
import { rateVital } from './web-vitals'

test.each([
  ['LCP', 2_500, 'good'],
  ['LCP', 2_501, 'needs-improvement'],
  ['LCP', 3_750, 'needs-improvement'],
  ['LCP', 3_751, 'poor'],
  ['FID', 100, 'good'],
  ['FID', 101, 'needs-improvement'],
  ['FID', 300, 'needs-improvement'],
  ['FID', 301, 'poor'],
  ['CLS', 0, 'good'],
  ['CLS', 0.1, 'good'],
  ['CLS', 0.11, 'needs-improvement'],
  ['CLS', 0.25, 'needs-improvement'],
  ['CLS', 0.26, 'poor'],
  ['INP', 200, 'good'],
  ['INP', 500, 'needs-improvement'],
  ['INP', 501, 'poor'],
] as const)('%s of %d is %s', (name, value, rating) => {
  expect(rateVital(name, value)).toBe(rating)
})
