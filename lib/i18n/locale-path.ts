import { type Locale, routing } from './routing'

/** The address of a page in a language; all languages except English have a prefix. */
export function getPathname({ locale, href }: { locale: Locale; href: string }): string {
  return locale === routing.defaultLocale ? href : prefixedPath(locale, href)
}

/**
 * The address that switches to a language. English has its prefix here, too, because without one the language in the
 * browser's cookie would be used. The middleware removes it again.
 */
export function prefixedPath(locale: Locale, href: string): string {
  return `/${locale}${href.replace(/^\/(?=\?|$)/, '')}`
}

const LANGUAGE = new RegExp(`^/(?:${routing.locales.join('|')})(?=/|$)`)

/** The language prefix of an address, such as `/de`; empty if it has none. */
export function languagePrefix(pathname: string): string {
  return LANGUAGE.exec(pathname)?.[0] ?? ''
}

/** The page's address without its language prefix. */
export function plainPath(locale: Locale, pathname: string): string {
  const prefix = `/${locale}`
  if (pathname === prefix) return '/'
  return pathname.startsWith(`${prefix}/`) ? pathname.slice(prefix.length) : pathname
}
