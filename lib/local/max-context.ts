import { createEntryStore } from './storage/entry-store'
import { type GuardedStorage, guardedStorage } from './storage/guarded-storage'
import { bareText } from './storage/json'
import { MAX_CONTEXT_KEY } from './storage/storage-keys'

/** How many tokens of a conversation are sent, besides its last exchange. */
const MAX_CONTEXT_DEFAULT_TOKENS = 2048
/** Less does not fit one question and its answer. */
export const MAX_CONTEXT_LOWEST_TOKENS = 256
/** Beyond any model's context: a larger number is damage, not a choice. */
export const MAX_CONTEXT_HIGHEST_TOKENS = 10_000_000

export function isMaxContext(tokens: number): boolean {
  return (
    Number.isInteger(tokens) && tokens >= MAX_CONTEXT_LOWEST_TOKENS && tokens <= MAX_CONTEXT_HIGHEST_TOKENS
  )
}

const ROUND_TOKENS = 1024

/**
 * A setting for twice as many tokens: a conversation that continues is not forgotten with the next message, and once it
 * has doubled, the person is asked again, with its price.
 */
export function roomForTokens(tokens: number): number {
  const rounded = Math.ceil((tokens * 2) / ROUND_TOKENS) * ROUND_TOKENS
  return Math.min(Math.max(rounded, MAX_CONTEXT_LOWEST_TOKENS), MAX_CONTEXT_HIGHEST_TOKENS)
}

export function createMaxContextStore(storage: GuardedStorage) {
  return createEntryStore(storage, MAX_CONTEXT_KEY, text => {
    const tokens = Number(bareText(text))
    return isMaxContext(tokens) ? tokens : MAX_CONTEXT_DEFAULT_TOKENS
  })
}

export const maxContextStore = createMaxContextStore(guardedStorage)
