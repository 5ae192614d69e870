import { isObject } from '@/lib/http/domain/is-object'
import { UNDATED_PART_DATE } from '../conversations/parse-conversation'
import type { GuardedStorage } from '../storage/guarded-storage'
import { bareText, parseStored } from '../storage/json'
import { CONVERSATION_HISTORY_KEY, MAX_CONTEXT_KEY, SELECTED_CONVERSATION_KEY } from '../storage/storage-keys'

/** The images that the second migration cleans up; `key` is whatever key the store has. */
export interface MigrationImages<Key = unknown> {
  /** Newest first. */
  entries(): Promise<{ key: Key; createdMs: number; isPlaceholder: boolean }[]>
  replaceByPlaceholder(key: Key): Promise<void>
  delete(keys: readonly Key[]): Promise<void>
}

export interface MigrationContext {
  storage: GuardedStorage
  /** Null if this browser has no image store, which is then not opened either. */
  openImages: () => Promise<MigrationImages | null>
  now: () => Date
}

export interface LocalMigration {
  version: number
  /**
   * Must leave a state from which it can run again, because it may be interrupted anywhere.
   * @throws if it could not do all of its work; it then runs again at the next start
   */
  run(context: MigrationContext): Promise<void>
}

/** Local storage is full: the marker must not advance, and the person has been told. */
class MigrationBlockedError extends Error {
  override name = 'MigrationBlockedError'
}

export function writeOrThrow(storage: GuardedStorage, key: string, text: string): void {
  if (!storage.write(key, text)) throw new MigrationBlockedError(`No room to write ${key}.`)
}

/**
 * Version 1: image and document parts without created_at get the date 2025-01-12. Anything that is not a conversation
 * passes unchanged; the stores set it aside when they read it.
 */
const datePartsMigration: LocalMigration = {
  version: 1,
  async run({ storage }) {
    rewrite(storage, CONVERSATION_HISTORY_KEY, stored =>
      Array.isArray(stored) ? stored.map(dateConversation) : stored,
    )
    rewrite(storage, SELECTED_CONVERSATION_KEY, dateConversation)
  },
}

function rewrite(storage: GuardedStorage, key: string, change: (stored: unknown) => unknown): void {
  const stored = parseStored(storage.read(key))
  if (stored === undefined || stored === null) return
  const changed = JSON.stringify(change(stored))
  if (changed !== JSON.stringify(stored)) writeOrThrow(storage, key, changed)
}

function dateConversation(conversation: unknown): unknown {
  if (!isObject(conversation) || !Array.isArray(conversation.messages)) return conversation
  return { ...conversation, messages: conversation.messages.map(dateMessage) }
}

function dateMessage(message: unknown): unknown {
  if (!isObject(message) || !Array.isArray(message.content)) return message
  return { ...message, content: message.content.map(datePart) }
}

function datePart(part: unknown): unknown {
  if (!isObject(part) || (part.type !== 'image_url' && part.type !== 'document_url')) return part
  const held = part[part.type]
  const source = typeof held === 'string' ? { url: held } : held
  // Some products have the date beside the address instead of with it.
  if (!isObject(source) || source.created_at || part.created_at) return part
  return { ...part, [part.type]: { ...source, created_at: UNDATED_PART_DATE } }
}

const KEPT_IMAGE_COUNT = 20
const IMAGE_AGE_MAX_MS = 172_800_000
const DELETE_BATCH_SIZE = 5

/**
 * Version 2: the image store is cleaned up. "Keep the 20 newest. Images older than 2 days are replaced by a 1x1
 * placeholder. Others beyond 20 are deleted in batches of 5." We apply the sentences in order: the 20 newest stay as
 * they are, whatever their age; of all others, those older than two days stay as placeholders, and the younger ones are
 * deleted. An image without a date counts as the oldest.
 *
 * A second run after an interruption finds the same 20 (placeholders keep their dates) and does the rest.
 */
const cleanUpImagesMigration: LocalMigration = {
  version: 2,
  async run({ openImages, now }) {
    const images = await openImages()
    if (!images) return
    const beyond = (await images.entries()).slice(KEPT_IMAGE_COUNT)
    const oldestKeptMs = now().getTime() - IMAGE_AGE_MAX_MS
    const isOld = (entry: { createdMs: number }): boolean => entry.createdMs < oldestKeptMs
    for (const entry of beyond) {
      if (isOld(entry) && !entry.isPlaceholder) await images.replaceByPlaceholder(entry.key)
    }
    const young = beyond.filter(entry => !isOld(entry))
    for (let start = 0; start < young.length; start += DELETE_BATCH_SIZE) {
      await images.delete(young.slice(start, start + DELETE_BATCH_SIZE).map(entry => entry.key))
    }
  },
}

/**
 * Version 3: a stored maxContext of 1024, the former default, becomes 2048. Any other value was chosen by the person.
 */
const widenContextMigration: LocalMigration = {
  version: 3,
  async run({ storage }) {
    const stored = storage.read(MAX_CONTEXT_KEY)
    if (stored === null || bareText(stored) !== '1024') return
    writeOrThrow(storage, MAX_CONTEXT_KEY, stored.replace('1024', '2048'))
  },
}

export const LOCAL_MIGRATIONS: readonly LocalMigration[] = [
  datePartsMigration,
  cleanUpImagesMigration,
  widenContextMigration,
]
