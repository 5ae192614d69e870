import { locale as rootLocale } from 'next/root-params'
import { hasLocale } from 'next-intl'
import { getRequestConfig } from 'next-intl/server'
import { routing } from './routing'

/**
 * The language of a request: an explicit one, or that of its path, which the middleware passes on if there is no page;
 * English for anything unknown.
 */
export default getRequestConfig(async ({ locale: explicitLocale, requestLocale }) => {
  const candidate = explicitLocale ?? (await rootLocale()) ?? (await requestLocale)
  const locale = hasLocale(routing.locales, candidate) ? candidate : routing.defaultLocale
  const messages = await import(`../../messages/${locale}.json`)
  return { locale, messages: messages.default, timeZone: 'UTC' }
})
