import { isObject } from '@/lib/http/domain/is-object'
import { UNDATED_PART_DATE } from '../conversations/parse-conversation'
import type { GuardedStorage } from '../storage/guarded-storage'
import { parseStored } from '../storage/json'
import { CONVERSATION_HISTORY_KEY, SELECTED_CONVERSATION_KEY } from '../storage/storage-keys'
import { type Migration, writeOrThrow } from './migration'

/**
 * Version 1: image and document parts that lack created_at get the date 2025-01-12. What is no
 * conversation passes through unchanged; the stores set it aside when they read it.
 */
export const datePartsMigration: Migration = {
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
  // Some products keep the date beside the address instead of with it.
  if (!isObject(source) || source.created_at || part.created_at) return part
  return { ...part, [part.type]: { ...source, created_at: UNDATED_PART_DATE } }
}
