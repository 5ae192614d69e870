import { isObject } from '@/lib/http/domain/is-object'
import type { DocumentTable } from '../documents/document-table'
import { parseStoredDocument, type StoredDocument } from '../documents/stored-document'
import type { ExportFiles } from './export-files'

/** A document in an exported file. */
export interface ExportedDocument {
  document: StoredDocument
  bytes: Uint8Array<ArrayBuffer>
}

/** Adds documents one by one, so that no two are in memory. */
export async function addDocuments(
  files: ExportFiles,
  documents: Pick<DocumentTable, 'urls' | 'get' | 'bytesOf'>,
): Promise<void> {
  for (const url of await documents.urls()) {
    const document = await documents.get(url)
    const bytes = document && (await documents.bytesOf(url))
    if (bytes) files.add('documents', { ...document, base64: encodeBase64(bytes) })
  }
}

/** Null if it is not a document of an export. */
export function parseExportedDocument(value: unknown): ExportedDocument | null {
  const document = parseStoredDocument(value)
  if (!document || !isObject(value) || typeof value.base64 !== 'string') return null
  const bytes = decodeBase64(value.base64)
  // The size is counted here, whatever the file claims.
  return bytes && { document: { ...document, size: bytes.length }, bytes }
}

/**
 * The arguments of one call; browsers accept a few ten thousand. A multiple of three, so that slices join without
 * padding.
 */
const SLICE_BYTES = 0x6000

function encodeBase64(bytes: Uint8Array): string {
  let text = ''
  for (let start = 0; start < bytes.length; start += SLICE_BYTES) {
    text += btoa(String.fromCharCode(...bytes.subarray(start, start + SLICE_BYTES)))
  }
  return text
}

/** Null if it is not base64. */
function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), character => character.charCodeAt(0))
  } catch {
    return null
  }
}
