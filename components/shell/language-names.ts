import type { Locale } from '@/lib/i18n/routing'

/** Each language in itself: whoever looks for theirs cannot read the others. */
export const LANGUAGE_NAMES: Readonly<Record<Locale, string>> = {
  en: 'English',
  es: 'Español',
  de: 'Deutsch',
  fr: 'Français',
  it: 'Italiano',
}
