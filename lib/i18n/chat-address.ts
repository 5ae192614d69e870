import { languagePrefix } from './locale-path'

/** A conversation's own address, without its language. The id is the browser's; our server has no use for it. */
const CONVERSATION = /^\/c\/([^/]+)\/?$/

/** A percent sign in an id: Next decodes what stands there twice, and "100%" cannot be decoded a second time. */
const ENCODED = '%25'
const TWICE_ENCODED = '%2525'

/** How the chat's address goes on where another page was asked for without a network; see the service worker. */
export const NEEDS_NETWORK = '#needs-network'

/** The conversation that an address names, with or without its language; null for a new chat and other pages. */
export function conversationIdOf(pathname: string): string | null {
  const encoded = CONVERSATION.exec(pathname.slice(languagePrefix(pathname).length))?.[1]
  if (encoded === undefined) return null
  try {
    return decodeURIComponent(encoded.replaceAll(TWICE_ENCODED, ENCODED))
  } catch {
    return encoded
  }
}

/** Whether the chat is shown there: a new one, or a conversation. */
export function isChatAddress(pathname: string): boolean {
  const path = pathname.slice(languagePrefix(pathname).length)
  return path === '' || path === '/' || CONVERSATION.test(path)
}

/** Where a conversation stands in the language of another address; null is a new chat. */
export function chatAddress(pathname: string, id: string | null): string {
  const prefix = languagePrefix(pathname)
  if (id === null) return prefix || '/'
  return `${prefix}/c/${encodeURIComponent(id.toWellFormed()).replaceAll(ENCODED, TWICE_ENCODED)}`
}
