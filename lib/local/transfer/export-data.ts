import type { Archive } from '../archive/archive'
import { mergeConversation } from '../conversations/merge-conversations'
import type { DocumentTable } from '../documents/document-table'
import type { Conversation } from '../domain/conversation'
import type { ImageTable } from '../images/image-table'
import { parseStoredImage } from '../images/stored-image'
import type { GuardedStorage } from '../storage/guarded-storage'
import { setAsideFrom } from '../storage/set-aside'
import {
  ANALYTICS_CONSENT_KEY,
  CONTINUE_WISH_KEY,
  CONVERSATION_HISTORY_KEY,
  CREDIT_KEYS,
  CREDIT_REPLACEMENT_KEY,
  DRAFT_FILES_KEY,
  LAST_BALANCE_KEY,
  MIGRATIONS_VERSION_KEY,
  PENDING_EXCHANGES_KEY,
  QUEUED_MESSAGES_KEY,
  REMOVED_CONVERSATIONS_KEY,
  SELECTED_CONVERSATION_KEY,
  WALLET_CONNECTION_KEY,
  WALLET_TOP_UPS_KEY,
} from '../storage/storage-keys'
import { addDocuments } from './export-documents'
import { ExportFiles } from './export-files'
import { TRANSFER_BYTES_MAX } from './read-export'

const EXPORT_FORMAT = 'tuppence-data'
const EXPORT_VERSION = 1

/** Included in the file as conversations, or only meaningful in this browser; never read from a file either. */
export const LEFT_OUT_KEYS = [
  CONVERSATION_HISTORY_KEY,
  SELECTED_CONVERSATION_KEY,
  REMOVED_CONVERSATIONS_KEY,
  MIGRATIONS_VERSION_KEY,
  PENDING_EXCHANGES_KEY,
  QUEUED_MESSAGES_KEY,
  DRAFT_FILES_KEY,
  CONTINUE_WISH_KEY,
  LAST_BALANCE_KEY,
  ANALYTICS_CONSENT_KEY,
  WALLET_CONNECTION_KEY,
  WALLET_TOP_UPS_KEY,
  CREDIT_REPLACEMENT_KEY,
]

export interface ExportOptions {
  storage: GuardedStorage
  conversations: readonly Conversation[]
  /** Null if there is none. */
  archive: Pick<Archive, 'forEach' | 'images'> | null
  images: Pick<ImageTable, 'entries' | 'getByKey'> | null
  documents: Pick<DocumentTable, 'urls' | 'get' | 'bytesOf'> | null
  includeCredit: boolean
  now: Date
  fileBytesMax?: number
}

/**
 * Exports everything as JSON: `{format, version, exported_at, local_storage, conversations, images, documents}`, in more
 * than one file of that form if one could not be read again. The texts of local storage are in the first.
 */
export async function exportData(options: ExportOptions): Promise<Blob[]> {
  const { storage, now } = options
  const leftOut = options.includeCredit ? LEFT_OUT_KEYS : [...LEFT_OUT_KEYS, ...CREDIT_KEYS]
  const keys = storage.keys().filter(key => !leftOut.includes(setAsideFrom(key)))
  const head = { format: EXPORT_FORMAT, version: EXPORT_VERSION, exported_at: now.toISOString() }
  const texts = Object.fromEntries(keys.map(key => [key, storage.read(key)]))
  const files = new ExportFiles(head, texts, options.fileBytesMax ?? TRANSFER_BYTES_MAX)
  for (const conversation of await allConversations(options)) files.add('conversations', conversation)
  await addImages(files, options)
  if (options.documents) await addDocuments(files, options.documents)
  return files.end()
}

async function allConversations({ conversations, archive }: ExportOptions): Promise<Conversation[]> {
  const all = new Map(conversations.map(conversation => [conversation.id, conversation]))
  await archive?.forEach(conversation => {
    const known = all.get(conversation.id)
    all.set(conversation.id, known ? mergeConversation(known, conversation) : conversation)
  })
  return [...all.values()]
}

async function addImages(files: ExportFiles, { images, archive }: ExportOptions): Promise<void> {
  const archived = await archive?.images()
  const archivedUrls = new Set(await archived?.toCollection().primaryKeys())
  for (const url of archivedUrls) {
    const image = parseStoredImage(await archived?.get(url))
    if (image) files.add('images', image)
  }
  for (const { key, url } of (await images?.entries()) ?? []) {
    // What the store has in its place may be the clean-up's placeholder.
    const image = archivedUrls.has(url) ? null : await images?.getByKey(key)
    if (image) files.add('images', image)
  }
}
