import type { Archive } from '../archive/archive'
import { mergeConversation } from '../conversations/merge-conversations'
import type { DocumentTable } from '../documents/document-table'
import type { Conversation } from '../domain/conversation'
import type { ImageTable } from '../images/image-table'
import { parseStoredImage, type StoredImage } from '../images/stored-image'
import type { GuardedStorage } from '../storage/guarded-storage'
import { setAsideFrom } from '../storage/set-aside'
import {
  ANALYTICS_CONSENT_KEY,
  CONTINUE_WISH_KEY,
  CONVERSATION_HISTORY_KEY,
  CREDIT_KEYS,
  CREDIT_REPLACEMENT_KEY,
  LAST_BALANCE_KEY,
  MIGRATIONS_VERSION_KEY,
  PENDING_EXCHANGES_KEY,
  QUEUED_MESSAGES_KEY,
  REMOVED_CONVERSATIONS_KEY,
  SELECTED_CONVERSATION_KEY,
  WALLET_CONNECTION_KEY,
  WALLET_TOP_UPS_KEY,
} from '../storage/storage-keys'
import { pushDocuments } from './export-documents'

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
}

/**
 * Exports everything as one JSON file: `{format, version, exported_at, local_storage, conversations, images,
 * documents}`. Its parts are made one by one, so that the images are never in memory as one text.
 */
export async function exportData(options: ExportOptions): Promise<Blob> {
  const { storage, now } = options
  const leftOut = options.includeCredit ? LEFT_OUT_KEYS : [...LEFT_OUT_KEYS, ...CREDIT_KEYS]
  const keys = storage.keys().filter(key => !leftOut.includes(setAsideFrom(key)))
  const head = {
    format: EXPORT_FORMAT,
    version: EXPORT_VERSION,
    exported_at: now.toISOString(),
    local_storage: Object.fromEntries(keys.map(key => [key, storage.read(key)])),
  }
  const parts: BlobPart[] = [JSON.stringify(head).slice(0, -1), ',"conversations":[']
  pushList(parts, await allConversations(options))
  parts.push('],"images":[')
  await pushImages(parts, options)
  parts.push('],"documents":[')
  if (options.documents) await pushDocuments(parts, options.documents)
  parts.push(']}')
  return new Blob(parts, { type: 'application/json' })
}

async function allConversations({ conversations, archive }: ExportOptions): Promise<Conversation[]> {
  const all = new Map(conversations.map(conversation => [conversation.id, conversation]))
  await archive?.forEach(conversation => {
    const known = all.get(conversation.id)
    all.set(conversation.id, known ? mergeConversation(known, conversation) : conversation)
  })
  return [...all.values()]
}

function pushList(parts: BlobPart[], items: readonly unknown[]): void {
  items.forEach((item, index) => {
    parts.push(`${index > 0 ? ',' : ''}${JSON.stringify(item)}`)
  })
}

async function pushImages(parts: BlobPart[], { images, archive }: ExportOptions): Promise<void> {
  const push = (image: StoredImage) => {
    // A blob may be stored on disk, so that the text can be freed.
    parts.push(new Blob([`${count > 0 ? ',' : ''}${JSON.stringify(image)}`]))
    count += 1
  }
  let count = 0
  const archived = await archive?.images()
  const archivedUrls = new Set(await archived?.toCollection().primaryKeys())
  for (const url of archivedUrls) {
    const image = parseStoredImage(await archived?.get(url))
    if (image) push(image)
  }
  for (const { key, url } of (await images?.entries()) ?? []) {
    // What the store has in its place may be the clean-up's placeholder.
    const image = archivedUrls.has(url) ? null : await images?.getByKey(key)
    if (image) push(image)
  }
}
