import { expect, test } from '@jest/globals'
import { routing } from '@/lib/i18n/routing'
import { messagesIn } from '@/test/support/messages'
import { authErrorKeys } from './error-key'

test.each(routing.locales)('every error has a message in %s, and every message has an error', locale => {
  expect(Object.keys(messagesIn(locale).auth.errors).sort()).toEqual(authErrorKeys())
})
