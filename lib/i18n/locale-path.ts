import { type Locale, routing } from './routing'

/** The address of a page in a language: all but English stand under their prefix. */
export function getPathname({ locale, href }: { locale: Locale; href: string }): string {
  return locale === routing.defaultLocale ? href : prefixedPath(locale, href)
}

/**
 * The address that switches to a language. English has its prefix too here: without one, the language
 * that the browser's cookie remembers would count. The middleware takes it off again.
 */
export function prefixedPath(locale: Locale, href: string): string {
  return `/${locale}${href.replace(/^\/(?=\?|$)/, '')}`
}

const LANGUAGE = new RegExp(`^/(?:${routing.locales.join('|')})(?=/|$)`)

/** The language with which an address begins, as `/de`; empty where it names none. */
export function languagePrefix(pathname: string): string {
  return LANGUAGE.exec(pathname)?.[0] ?? ''
}

/** The page's address without the prefix of its language. */
export function plainPath(locale: Locale, pathname: string): string {
  const prefix = `/${locale}`
  if (pathname === prefix) return '/'
  return pathname.startsWith(`${prefix}/`) ? pathname.slice(prefix.length) : pathname
}
