import { expect, test } from '@jest/globals'
import { rememberLocale } from './remember-locale'

test('the language stands in the cookie that the middleware reads, for every page of this site alone', () => {
  const page = { cookie: '' }
  rememberLocale('de', page)
  expect(page.cookie).toBe('NEXT_LOCALE=de;path=/;samesite=lax')
})
