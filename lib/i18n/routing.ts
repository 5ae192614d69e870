import { defineRouting } from 'next-intl/routing'

/** The specification's locales; English has no prefix in the path. */
export const routing = defineRouting({
  locales: ['en', 'es', 'de', 'fr', 'it'],
  defaultLocale: 'en',
  localePrefix: 'as-needed',
  // The languages of a page are in its metadata, at the operator's own address (lib/i18n/alternates).
  alternateLinks: false,
})

export type Locale = (typeof routing.locales)[number]
