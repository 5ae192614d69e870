import { readdirSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { SECRET_FORMS } from './domain/testing'
import { pageOfPath } from './page-address'

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

test('every page of the site has a name', () => {
  const files = readdirSync('app/[locale]', { recursive: true, encoding: 'utf8' })
  const pages = files
    .filter(file => /(^|[\\/])page\.tsx$/.test(file))
    .map(file => `/${file}`.replace(/[\\/](\([^)]*\)|page\.tsx)/g, ''))
  expect(pages).toContain('/pricing')
  expect(pages.filter(page => pageOfPath(page).includes('other'))).toEqual([])
})

test('every path gives the name of a page of this site', () => {
  const paths = fc.oneof(
    fc.webPath(),
    fc.string(),
    ...Object.values(SECRET_FORMS).map(form => form.map(({ text }) => `/${text}`)),
  )
  fc.assert(
    fc.property(paths, path => {
      expect(pageOfPath(path)).toMatch(
        /^(\/[a-z]{2})?\/?(pricing|top-up|account|refill|terms|privacy|other)?$/,
      )
    }),
  )
})
