import { documentAsText, missingDocument } from '@/lib/documents/domain/document-as-text'
import { safeDocumentName } from '@/lib/documents/domain/document-name'
import type { DocumentPart } from '@/lib/local/domain/conversation'

/** A document that this browser keeps, as far as a request needs it. */
export interface ResolvedDocument {
  readonly name: string
  /** Empty when there is none, as in a scanned PDF. */
  readonly text: string
  readonly isPdf: boolean
  readonly pageCount: number | null
  readonly isCut: boolean
  /** The file as a data URL; null when it is gone. */
  readonly readFile: () => Promise<string | null>
}

/** Null when it is gone, or is none of ours. */
export type ResolveDocument = (url: string) => Promise<ResolvedDocument | null>

export type DocumentApiPart =
  | { type: 'text'; text: string }
  | { type: 'file'; file: { filename: string; file_data: string } }

/** All documents of one request; the API reads 32 MB, and pictures and words need their part of it. */
export const DOCUMENT_CHARACTERS_MAX = 28_000_000
/** A character is up to three bytes of UTF-8. */
const BYTES_PER_CHARACTER_MAX = 3
const FALLBACK_DOCUMENT_NAME = 'document'

export interface DocumentRoom {
  readonly takesFiles: boolean
  readonly resolve: ResolveDocument
  /** What is left for documents of older messages. */
  leftCharacters: number
}

/** A document in the API's shapes: its text, or the whole file where the person or the lack of text asks for it. */
export async function toDocumentParts(part: DocumentPart, room: DocumentRoom): Promise<DocumentApiPart[]> {
  const { url, name, whole } = part.document_url
  // Other products keep the file in the message itself.
  if (url.startsWith('data:')) return [filePart(name ?? FALLBACK_DOCUMENT_NAME, url)]
  const document = await room.resolve(url)
  if (!document) return []
  if (room.takesFiles && document.isPdf && (whole === true || document.text === '')) {
    const file = await document.readFile()
    if (file !== null && take(room, file.length)) return [filePart(document.name, file)]
  }
  const isSent = document.text !== '' && take(room, document.text.length * BYTES_PER_CHARACTER_MAX)
  return [{ type: 'text', text: isSent ? documentAsText(document) : missingDocument(document.name) }]
}

function take(room: DocumentRoom, characters: number): boolean {
  if (characters > room.leftCharacters) return false
  room.leftCharacters -= characters
  return true
}

function filePart(name: string, dataUrl: string): DocumentApiPart {
  return { type: 'file', file: { filename: safeDocumentName(name), file_data: dataUrl } }
}
