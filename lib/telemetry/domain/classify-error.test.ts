import { describe, expect, test } from '@jest/globals'
import { classifyError, isReported } from './classify-error'

const verdict = (message: string, status: number | null = null, names: string[] = ['Error']) =>
  classifyError({ names, message, status })

describe('an error is never reported if it is', () => {
  test.each([
    ['ChunkLoadError', 'Failed to load chunk /_next/static/chunks/a.js'],
    ['AbortError', 'The user aborted a request.'],
    ['AbortError', 'payment of the invoice: signal is aborted without reason'],
    ['ChunkLoadError', 'payment page: timeout'],
    ['TypeError', 'Failed to fetch dynamically imported module: http://x/y.js'],
    ['TypeError', 'Importing a module script failed.'],
    ['Error', 'Loading chunk 12 failed.'],
    ['Error', 'Loading CSS chunk 12 failed.'],
    ['Error', 'Script error.'],
    ['Error', 'The request was cancelled'],
    ['Error', 'Request canceled'],
    ['Error', 'The operation was aborted'],
    ['Error', 'Interrupted by a navigation'],
  ])('%s: %s', (name, message) => {
    expect(verdict(message, null, [name])).toBe('drop')
  })

  test('an error whose cause was an abort', () => {
    expect(verdict('network', null, ['ApiCallError', 'AbortError'])).toBe('drop')
  })
})

describe('an error is always reported if it concerns', () => {
  test.each([
    'payment',
    'invoice',
    'credit',
    'insufficient',
    'unauthorized',
    'forbidden',
    'internal server error',
    'timeout',
    'network error',
    'failed to fetch',
    'btcpay',
    'lightning',
    'wallet',
  ])('%s', concern => {
    expect(verdict(`Something about ${concern.toUpperCase()} went wrong`)).toBe('report')
  })

  test.each([
    ['NetworkError when attempting to fetch resource.'],
    ['Load failed'],
    ['signal timed out'],
    ['insufficient_credit'],
  ])('the same in other words: %s', message => {
    expect(verdict(message)).toBe('report')
  })

  test.each([401, 402, 403, 408, 500, 504])('an answer with status %i', status => {
    expect(verdict('GET /keys', status)).toBe('report')
  })

  test('money, even where it also says cancelled', () => {
    expect(verdict('The payment was cancelled')).toBe('report')
  })
})

test.each([
  ['x is not a function', null],
  ['GET /keys', 404],
  ['GET /keys', 429],
  ['GET /keys', 502],
])('any other error is sampled: %s %s', (message, status) => {
  expect(verdict(message, status)).toBe('sample')
})

test('one in ten sampled errors is reported, and the others are always reported or always dropped', () => {
  expect([0, 0.0999].map(draw => isReported('sample', draw))).toEqual([true, true])
  expect([0.1, 0.9999].map(draw => isReported('sample', draw))).toEqual([false, false])
  expect(isReported('report', 0.9999)).toBe(true)
  expect(isReported('drop', 0)).toBe(false)
})
