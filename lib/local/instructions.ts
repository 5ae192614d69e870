import { SYSTEM_PROMPT_LENGTH_MAX } from './domain/steering'
import { guardedStorage } from './storage/guarded-storage'
import { INSTRUCTIONS_KEY } from './storage/storage-keys'
import { createTextStore } from './storage/text-store'

/** The instructions sent before every chat; null if there are none. */
export const instructionsStore = createTextStore(guardedStorage, INSTRUCTIONS_KEY, text =>
  text.trim() === '' ? null : text.slice(0, SYSTEM_PROMPT_LENGTH_MAX),
)
