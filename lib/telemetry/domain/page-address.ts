const LANGUAGE = /^\/(?:es|de|fr|it|en)(?=\/|$)/
/** The chat, whichever conversation it shows. */
const CONVERSATION = /^\/c\/[^/]+$/
const PAGES = new Set(['/', '/pricing', '/top-up', '/account', '/refill', '/terms', '/privacy'])

/** What every address is counted as that is no page of this site: it may hold anything. */
const OTHER_PAGE = '/other'

/**
 * The page that a path names, its language kept, for counting. Only pages that exist are named: a path is
 * a visitor's own words otherwise, and might hold a secret that was pasted into the address bar.
 */
export function pageOfPath(path: string): string {
  const pathname = path.replace(/[?#].*$/s, '').replace(/(?<=.)\/$/, '')
  const language = LANGUAGE.exec(pathname)?.[0] ?? ''
  const rest = pathname.slice(language.length) || '/'
  const page = CONVERSATION.test(rest) ? '/' : rest
  if (!PAGES.has(page)) return `${language}${OTHER_PAGE}`
  return page === '/' ? language || '/' : `${language}${page}`
}
