import {
  CONVERSATION_HISTORY_KEY,
  MAX_CONTEXT_KEY,
  SELECTED_CONVERSATION_KEY,
} from '@/lib/local/storage/storage-keys'

/** Whether this browser holds anything that migrations and the clean-up are about. */
export function hasConversationData(storage: Pick<Storage, 'getItem'>): boolean {
  try {
    return [CONVERSATION_HISTORY_KEY, SELECTED_CONVERSATION_KEY, MAX_CONTEXT_KEY].some(
      key => storage.getItem(key) !== null,
    )
  } catch {
    // A browser that refuses storage holds nothing.
    return false
  }
}
