import { asText, isObject, readCount } from '@/lib/http/domain/is-object'
import { readDate } from '../storage/read-date'

/** What is known of a document, without its bytes. */
export interface StoredDocument {
  /** `document-store:<id>`, as in the part of a message. */
  url: string
  /** ISO 8601. */
  created_at: string
  name: string
  media_type: string
  /** Bytes of the file. */
  size: number
  /** Empty if it has none, as in a scanned PDF. */
  text: string
  /** Null if it has no pages. */
  page_count: number | null
  /** Whether only the beginning was read. */
  is_cut: boolean
}

/** Addresses of documents that only this browser has; a message's part refers to one. */
export const STORED_DOCUMENT_PREFIX = 'document-store:'

export function isStoredDocumentUrl(url: string): boolean {
  return url.startsWith(STORED_DOCUMENT_PREFIX)
}

/** Null if it is not one of our records: an imported file may contain anything. */
export function parseStoredDocument(value: unknown): StoredDocument | null {
  if (!isObject(value)) return null
  const { url, name, media_type, size, text, page_count, is_cut } = value
  if (typeof url !== 'string' || !isStoredDocumentUrl(url) || typeof name !== 'string') return null
  return {
    url,
    created_at: readDate(value.created_at) ?? '',
    name,
    media_type: media_type === 'application/pdf' ? media_type : 'text/plain',
    size: readCount(size) ?? 0,
    text: asText(text),
    page_count: readCount(page_count),
    is_cut: is_cut === true,
  }
}
