import { createExternalStore } from '@/lib/local/storage/external-store'

export interface DictationState {
  /** `held`: recorded, and not written down yet. */
  readonly status: 'idle' | 'opening' | 'recording' | 'held' | 'writing'
  /** Why it did not go on; null where nothing is in the way. */
  readonly errorCode: string | null
}

/** No failure of a call: silence, or no words in it. */
export const NOTHING_HEARD = 'nothing_heard'

/** It costs more by now than was shown; nothing was charged. */
export const PRICE_CHANGED = 'price_above_limit'

export const IDLE_DICTATION: DictationState = { status: 'idle', errorCode: null }

/** What the page's one microphone does (dictation.ts), whose code arrives when it is wanted. */
export const dictationStore = createExternalStore(IDLE_DICTATION)
