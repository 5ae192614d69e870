import { languagePrefix } from './locale-path'

/** A conversation's own address, without its language. The id is the browser's; the server does not use it. */
const CONVERSATION = /^\/c\/([^/]+)\/?$/

/** A percent sign in an id: Next decodes the path twice, and "100%" cannot be decoded a second time. */
const ENCODED = '%25'
const TWICE_ENCODED = '%2525'

/** Ids that an address would resolve as folders. They follow a sign that is encoded in every other id. */
const DOTS = /^\.{1,2}$/
const MARKED_DOTS = /^=(\.{1,2})$/

/** Appended to the chat's address if another page was requested without a network; see the service worker. */
export const NEEDS_NETWORK = '#needs-network'

/** The conversation in an address, with or without a language; null for a new chat and other pages. */
export function conversationIdOf(pathname: string): string | null {
  const encoded = CONVERSATION.exec(pathname.slice(languagePrefix(pathname).length))?.[1]
  if (encoded === undefined) return null
  const dots = MARKED_DOTS.exec(encoded)?.[1]
  if (dots !== undefined) return dots
  try {
    return decodeURIComponent(encoded.replaceAll(TWICE_ENCODED, ENCODED))
  } catch {
    return encoded
  }
}

/** Whether the address shows the chat: a new one, or a conversation. */
export function isChatAddress(pathname: string): boolean {
  const path = pathname.slice(languagePrefix(pathname).length)
  return path === '' || path === '/' || CONVERSATION.test(path)
}

/** The address of a conversation, in the language of another address; null is a new chat. */
export function chatAddress(pathname: string, id: string | null): string {
  const prefix = languagePrefix(pathname)
  if (id === null) return prefix || '/'
  if (DOTS.test(id)) return `${prefix}/c/=${id}`
  return `${prefix}/c/${encodeURIComponent(id.toWellFormed()).replaceAll(ENCODED, TWICE_ENCODED)}`
}
