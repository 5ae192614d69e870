import { isChatAddress } from '@/lib/i18n/chat-address'
import { languagePrefix } from '@/lib/i18n/locale-path'

/** All pages but the chat. */
export const PAGES: readonly string[] = ['/pricing', '/top-up', '/account', '/refill', '/terms', '/privacy']

/** The name under which all addresses are counted that are not pages of this site, since they may contain anything. */
const OTHER_PAGE = '/other'

/**
 * The page that a path belongs to, including its language, for counting. Only existing pages are named: any other path
 * contains a visitor's own words, and perhaps a secret that was pasted into the address bar. The chat is one page,
 * whichever conversation it shows.
 */
export function pageOfPath(path: string): string {
  const pathname = path.replace(/[?#].*$/s, '').replace(/(?<=.)\/$/, '')
  const language = languagePrefix(pathname)
  if (isChatAddress(pathname)) return language || '/'
  const page = pathname.slice(language.length)
  return `${language}${PAGES.includes(page) ? page : OTHER_PAGE}`
}
