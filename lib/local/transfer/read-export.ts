import { fieldsOf, isObject, listOf } from '@/lib/http/domain/is-object'
import { tryParseJson } from '@/lib/http/domain/try-parse-json'
import { parseConversation } from '../conversations/parse-conversation'
import type { Conversation } from '../domain/conversation'
import { extendedToEnd, withTurns } from '../domain/turns'
import { parseStoredImage, type StoredImage } from '../images/stored-image'
import type { JsonRecord } from '../storage/json'
import { type ExportedDocument, parseExportedDocument } from './export-documents'

/**
 * The largest file that is made and read: V8's longest string has 536 million characters. Ten attached documents of the
 * largest size, and what local storage and 50 images take, are 370 MB.
 */
export const TRANSFER_BYTES_MAX = 500_000_000

/** Deeper nesting than conversations of any version have. */
const LEVEL_COUNT_MAX = 100

export interface ReadExport {
  conversations: Conversation[]
  images: StoredImage[]
  documents: ExportedDocument[]
  /** Local storage keys with their texts. */
  texts: Record<string, string>
  /** Entries that could not be read. */
  skippedCount: number
}

/** Reads our export, or a bare list of conversations. Null if the text is neither. */
export function readExport(text: string): ReadExport | null {
  const file = tryParseJson(text)
  if (Array.isArray(file)) return readParts({ conversations: file })
  if (!isObject(file) || !Array.isArray(file.conversations)) return null
  return readParts(file)
}

function readParts(file: JsonRecord): ReadExport | null {
  const conversationEntries = listOf(file.conversations)
  const imageEntries = listOf(file.images)
  const documentEntries = listOf(file.documents)
  const conversations = conversationEntries.flatMap(entry =>
    isShallow(entry) ? (readConversation(entry) ?? []) : [],
  )
  const images = imageEntries
    .flatMap(entry => parseStoredImage(entry) ?? [])
    .filter(image => image.image_url.url !== '')
  const documents = documentEntries.flatMap(entry => parseExportedDocument(entry) ?? [])
  if (conversationEntries.length > 0 && conversations.length === 0) return null
  return {
    conversations,
    images,
    documents,
    texts: Object.fromEntries(
      Object.entries(fieldsOf(file.local_storage)).filter(
        (entry): entry is [string, string] => typeof entry[1] === 'string',
      ),
    ),
    skippedCount:
      conversationEntries.length -
      conversations.length +
      (imageEntries.length - images.length) +
      (documentEntries.length - documents.length),
  }
}

/** If all of its messages are on branches, one of these is shown: otherwise none could ever be. */
function readConversation(entry: unknown): Conversation | null {
  const conversation = parseConversation(entry)?.conversation ?? null
  if (conversation === null || conversation.messages.length > 0) return conversation
  return withTurns(conversation, extendedToEnd(conversation))
}

/**
 * A few levels are a conversation, thousands are an attack: such a file could be read, but no longer compared or
 * written.
 */
function isShallow(value: unknown, levelCountMax = LEVEL_COUNT_MAX): boolean {
  if (typeof value !== 'object' || value === null) return true
  return levelCountMax > 0 && Object.values(value).every(item => isShallow(item, levelCountMax - 1))
}
