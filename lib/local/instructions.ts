import { SYSTEM_PROMPT_LENGTH_MAX } from './domain/steering'
import { createEntryStore } from './storage/entry-store'
import { guardedStorage } from './storage/guarded-storage'
import { INSTRUCTIONS_KEY } from './storage/storage-keys'

/** The instructions sent before every chat; null if there are none. */
export const instructionsStore = createEntryStore(guardedStorage, INSTRUCTIONS_KEY, text =>
  text?.trim() ? text.slice(0, SYSTEM_PROMPT_LENGTH_MAX) : null,
)
