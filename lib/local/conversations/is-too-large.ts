import type { GuardedStorage } from '../storage/guarded-storage'
import { CONVERSATION_HISTORY_KEY, SELECTED_CONVERSATION_KEY } from '../storage/storage-keys'
import { STORAGE_WARNING_BYTES } from '../storage/storage-limits'

/** History plus selected conversation, in the unit in which browsers count against the quota. */
export function conversationBytes(storage: GuardedStorage): number {
  return sizeOf(storage, CONVERSATION_HISTORY_KEY) + sizeOf(storage, SELECTED_CONVERSATION_KEY)
}

export function areConversationsTooLarge(storage: GuardedStorage): boolean {
  return conversationBytes(storage) >= STORAGE_WARNING_BYTES
}

function sizeOf(storage: GuardedStorage, key: string): number {
  return storage.read(key)?.length ?? 0
}
