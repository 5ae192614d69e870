import { getPathname } from './locale-path'
import { type Locale, routing } from './routing'

/** Canonical address and hreflang of a page, as paths relative to the site's address (metadataBase). */
export function alternates(locale: Locale, href: string) {
  const path = (language: Locale) => getPathname({ locale: language, href })
  return {
    canonical: path(locale),
    languages: {
      ...Object.fromEntries(routing.locales.map(language => [language, path(language)])),
      'x-default': path(routing.defaultLocale),
    },
  }
}
