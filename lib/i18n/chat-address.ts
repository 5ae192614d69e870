import { languagePrefix } from './locale-path'

/** A conversation's own address, without its language. The id is the browser's; our server has no use for it. */
const CONVERSATION = /^\/c\/([^/]+)\/?$/

/** How the chat's address goes on where another page was asked for without a network; see the service worker. */
export const NEEDS_NETWORK = '#needs-network'

/** The conversation that an address names, with or without its language; null for a new chat and other pages. */
export function conversationIdOf(pathname: string): string | null {
  const encoded = CONVERSATION.exec(pathname.slice(languagePrefix(pathname).length))?.[1]
  if (encoded === undefined) return null
  try {
    return decodeURIComponent(encoded)
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
  return id === null ? prefix || '/' : `${prefix}/c/${encodeURIComponent(id.toWellFormed())}`
}
