import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { AUTH_ERROR_KEYS } from './error-key'

test.each(['en', 'es', 'de', 'fr', 'it'])(
  'every error has a sentence in %s, and no sentence is left over',
  locale => {
    const messages = JSON.parse(readFileSync(`messages/${locale}.json`, 'utf8'))
    expect(Object.keys(messages.auth.errors).sort()).toEqual(AUTH_ERROR_KEYS)
  },
)
