import { safeDocumentName } from '@/lib/documents/domain/document-name'
import type { Message } from '@/lib/local/domain/conversation'

// Histories of other products hold pictures and documents by their address on the web. Nothing is fetched
// from there by the browser: a model's host is given the address, or nothing.

const FALLBACK_NAME = 'document'
/** Longer ones are data in disguise. */
const ADDRESS_LENGTH_MAX = 2_048

/** An address that the host of a model may be asked to fetch: encrypted, and without anybody's password. */
export function isWebAddress(url: string): boolean {
  if (url.length > ADDRESS_LENGTH_MAX || !URL.canParse(url)) return false
  const { protocol, username, password } = new URL(url)
  return protocol === 'https:' && username === '' && password === ''
}

/** What a file is called that has no name beside its address. */
export function nameOfAddress(url: string): string {
  if (!/^https?:/i.test(url) || !URL.canParse(url)) return FALLBACK_NAME
  const { pathname, host } = new URL(url)
  return safeDocumentName(pathname.split('/').findLast(Boolean) ?? host)
}

/** Whether a message brings along anything beside words. */
export function hasAttachments({ role, content }: Message): boolean {
  return role === 'user' && typeof content !== 'string' && content.some(({ type }) => type !== 'text')
}
