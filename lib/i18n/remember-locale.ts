import type { Locale } from './routing'

/**
 * Writes the cookie from which the middleware knows the language of an address without one. It also sets the cookie
 * itself, but on the redirect that removes English's prefix, where a fetch does not see it in time.
 */
export function rememberLocale(locale: Locale, page: Pick<Document, 'cookie'> = document): void {
  page.cookie = `NEXT_LOCALE=${locale};path=/;samesite=lax`
}
