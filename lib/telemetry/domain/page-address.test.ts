import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { pageOfPath } from './page-address'
import { SECRET_FORMS } from './testing'

test.each([
  ['/', '/'],
  ['/de', '/de'],
  ['/de/', '/de'],
  ['/fr/top-up', '/fr/top-up'],
  ['/pricing?utm_source=x#y', '/pricing'],
  ['/account/', '/account'],
  ['/refill#rf-secret', '/refill'],
  ['/c/0b0e7c9e-5d3c-4a53-9d5c-2f1d5f3f6a01', '/'],
  ['/de/c/a-conversation/?x=1', '/de'],
  ['/c/a/b', '/other'],
  ['/description', '/other'],
  ['/de/nothing/here', '/de/other'],
  ['/pricing/0b0e7c9e', '/other'],
  ['', '/'],
])('the page of the path %s is %s', (path, page) => {
  expect(pageOfPath(path)).toBe(page)
})

test('no path makes anything else of it than a page of this site', () => {
  const paths = fc.oneof(
    fc.webPath(),
    fc.string(),
    ...Object.values(SECRET_FORMS).map(form => form.map(({ text }) => `/${text}`)),
  )
  fc.assert(
    fc.property(paths, path => {
      expect(pageOfPath(path)).toMatch(/^(\/(en|es|de|fr|it))?\/?(pricing|top-up|account|refill|other)?$/)
    }),
  )
})
