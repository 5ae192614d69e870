import { readFileSync } from 'node:fs'
import type { Messages } from 'next-intl'
import type { Locale } from '@/lib/i18n/routing'

/**
 * Read as text: Jest requires an attribute for importing JSON, which Next's compiler writes in a form that Node
 * rejects.
 */
export const messagesIn = (locale: Locale): Messages =>
  JSON.parse(readFileSync(new URL(`../../messages/${locale}.json`, import.meta.url), 'utf8'))

export const de = messagesIn('de')
export const en = messagesIn('en')
