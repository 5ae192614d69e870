import type { Locale } from '@/lib/i18n/routing'

/** Each language in its own name, since people who look for theirs may not read the others. */
export const LANGUAGE_NAMES: Readonly<Record<Locale, string>> = {
  en: 'English',
  es: 'Español',
  de: 'Deutsch',
  fr: 'Français',
  it: 'Italiano',
}
