import type { Locale } from './routing'

/**
 * Writes the cookie by which the middleware knows the language of an address that names none. It sets the
 * cookie itself, but on the redirect that takes English's prefix off, where a fetch does not see it in time.
 */
export function rememberLocale(locale: Locale, page: Pick<Document, 'cookie'> = document): void {
  page.cookie = `NEXT_LOCALE=${locale};path=/;samesite=lax`
}
