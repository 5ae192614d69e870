import { describe, expect, test } from '@jest/globals'
import { getPathname, plainPath, prefixedPath } from './locale-path'
import { routing } from './routing'

describe('the address of a page', () => {
  test.each([
    ['en', '/', '/'],
    ['en', '/pricing', '/pricing'],
    ['de', '/', '/de'],
    ['de', '/?q=1', '/de?q=1'],
    ['de', '/pricing?q=1#top', '/de/pricing?q=1#top'],
  ] as const)('in %s of %s is %s', (locale, href, path) => {
    expect(getPathname({ locale, href })).toBe(path)
  })

  test('that switches the language names every language, English too', () => {
    expect(prefixedPath('en', '/')).toBe('/en')
    expect(prefixedPath('en', '/pricing')).toBe('/en/pricing')
    expect(prefixedPath('fr', '/pricing')).toBe('/fr/pricing')
  })
})

test('every language has two letters: the service worker and the reports of errors know no other prefix', () => {
  expect(routing.locales.filter(locale => !/^[a-z]{2}$/.test(locale))).toEqual([])
})

describe('the address without its language', () => {
  test.each([
    ['de', '/de', '/'],
    ['de', '/de/pricing', '/pricing'],
    ['en', '/en/pricing', '/pricing'],
    ['en', '/pricing', '/pricing'],
    ['de', '/developers', '/developers'],
    ['de', '/fr/pricing', '/fr/pricing'],
  ] as const)('in %s of %s is %s', (locale, pathname, path) => {
    expect(plainPath(locale, pathname)).toBe(path)
  })
})
