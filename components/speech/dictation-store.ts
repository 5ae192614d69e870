import type { CallErrorCode } from '@/lib/http/domain/error-codes'
import { createExternalStore } from '@/lib/local/storage/external-store'
import type { MicrophoneError } from '@/lib/speech/client/recorder'

export type DictationErrorCode = CallErrorCode | MicrophoneError['code'] | typeof NOTHING_HEARD

export interface DictationState {
  /** `held`: recorded, but not transcribed yet. */
  readonly status: 'idle' | 'opening' | 'recording' | 'held' | 'writing'
  /** Why it failed; null if it did not. */
  readonly errorCode: DictationErrorCode | null
}

/** Not an error of a call: the recording is silent, or contains no words. */
export const NOTHING_HEARD = 'nothing_heard'

/** A recording of nothing is held: it is better made anew than paid for. */
export function isSilent({ status, errorCode }: DictationState): boolean {
  return status === 'held' && errorCode === NOTHING_HEARD
}

/** The price is now higher than the one that was shown; nothing was charged. */
export const PRICE_CHANGED = 'price_above_limit'

export const IDLE_DICTATION: DictationState = { status: 'idle', errorCode: null }

/** The state of the page's one microphone (dictation.ts), whose code is loaded on demand. */
export const dictationStore = createExternalStore(IDLE_DICTATION)
