import { isChatAddress } from '@/lib/i18n/chat-address'
import { languagePrefix } from '@/lib/i18n/locale-path'

const PAGES = new Set(['/pricing', '/top-up', '/account', '/refill', '/terms', '/privacy'])

/** What every address is counted as that is no page of this site: it may hold anything. */
const OTHER_PAGE = '/other'

/**
 * The page that a path names, its language kept, for counting. Only pages that exist are named: a path is
 * a visitor's own words otherwise, and might hold a secret that was pasted into the address bar. The chat is
 * one page, whichever conversation it shows.
 */
export function pageOfPath(path: string): string {
  const pathname = path.replace(/[?#].*$/s, '').replace(/(?<=.)\/$/, '')
  const language = languagePrefix(pathname)
  if (isChatAddress(pathname)) return language || '/'
  const page = pathname.slice(language.length)
  return `${language}${PAGES.has(page) ? page : OTHER_PAGE}`
}
