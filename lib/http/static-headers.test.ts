import { describe, expect, test } from '@jest/globals'
import { staticHeaders } from './static-headers'

/** The header in the entry of this exact source. */
function headerAt(source: string, key: string): string | undefined {
  return staticHeaders()
    .filter(entry => entry.source === source && !('has' in entry))
    .flatMap(entry => entry.headers)
    .find(header => header.key === key)?.value
}

const EVERYTHING_ELSE = '/((?!_next/static/).*)'

describe('headers of every answer', () => {
  test.each([
    ['referrer-policy', 'same-origin'],
    ['x-content-type-options', 'nosniff'],
    ['x-frame-options', 'DENY'],
  ])('%s is %s', (key, value) => {
    expect(headerAt(EVERYTHING_ELSE, key)).toBe(value)
  })

  test('answers of the API may not run any scripts', () => {
    const api = staticHeaders().find(entry => entry.source.startsWith('/:segment('))
    expect(api?.source).toContain('v1')
    expect(api?.headers).toEqual([
      { key: 'content-security-policy', value: "default-src 'none'; frame-ancestors 'none'" },
    ])
  })

  test('scripts are served with nosniff', () => {
    expect(headerAt('/_next/static/:path*', 'x-content-type-options')).toBe('nosniff')
  })

  test('HSTS is sent only over https', () => {
    const strict = staticHeaders().filter(entry =>
      entry.headers.some(({ key }) => key === 'strict-transport-security'),
    )
    expect(strict.map(entry => ('has' in entry ? entry.has : null))).toEqual([
      [{ type: 'header', key: 'x-forwarded-proto', value: 'https' }],
    ])
  })
})
