import { expect, test } from '@jest/globals'
import { routing } from '@/lib/i18n/routing'
import { messagesIn } from '@/test/support/messages'
import { AUTH_ERROR_KEYS } from './error-key'

test.each(routing.locales)('every error has a sentence in %s, and no sentence is left over', locale => {
  expect(Object.keys(messagesIn(locale).auth.errors).sort()).toEqual(AUTH_ERROR_KEYS)
})
