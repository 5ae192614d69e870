import { listOf } from '@/lib/http/domain/is-object'
import type { ExternalStore } from '../storage/external-store'
import { type GuardedStorage, guardedStorage, listenersOf } from '../storage/guarded-storage'
import { parseStored } from '../storage/json'
import { setAsideItem, setAsideText } from '../storage/set-aside'
import { PROMPTS_KEY } from '../storage/storage-keys'
import { isPrompt, type Prompt } from './prompt'

/** A fifth of the browser's quota: the rest is for the conversations. */
export const PROMPTS_LENGTH_MAX = 1_000_000

export interface PromptStore extends ExternalStore<readonly Prompt[]> {
  /** Adds them before the others, and replaces those with the same id. Returns false if there is no room. */
  put(prompts: readonly Prompt[]): boolean
  remove(id: string): boolean
}

const NONE: readonly Prompt[] = []

/** Every write starts from what is stored at that moment, so that tabs keep what others have added. */
export function createPromptStore(storage: GuardedStorage): PromptStore {
  const { subscribe, notify } = listenersOf(storage, PROMPTS_KEY)
  let seen: { text: string | null; prompts: readonly Prompt[] } = { text: null, prompts: NONE }
  /** Whether the stored text contains something unreadable that could not be set aside yet. */
  let isBlocked = false

  function read(): readonly Prompt[] {
    const text = storage.read(PROMPTS_KEY)
    if (text === seen.text && !isBlocked) return seen.prompts
    const stored = parseStored(text)
    const entries = listOf(stored)
    const prompts = entries.filter(isPrompt)
    const unreadable = entries.filter(entry => !isPrompt(entry))
    if (stored !== null && !Array.isArray(stored)) isBlocked = !setAsideItem(storage, PROMPTS_KEY)
    else isBlocked = unreadable.length > 0 && !setAsideText(storage, PROMPTS_KEY, JSON.stringify(unreadable))
    seen = { text, prompts }
    return prompts
  }

  function write(next: readonly Prompt[]): boolean {
    if (isBlocked) return storage.refuse()
    const isWritten = storage.write(PROMPTS_KEY, JSON.stringify(next))
    notify()
    return isWritten
  }

  function withThese(prompts: readonly Prompt[]): readonly Prompt[] {
    const replaced = new Map(prompts.map(prompt => [prompt.id, prompt]))
    const known = read().map(prompt => {
      const next = replaced.get(prompt.id) ?? prompt
      replaced.delete(prompt.id)
      return next
    })
    return [...replaced.values(), ...known]
  }

  return {
    subscribe,
    getSnapshot: read,
    getServerSnapshot: () => NONE,
    put(prompts) {
      const next = withThese(prompts)
      return JSON.stringify(next).length <= PROMPTS_LENGTH_MAX && write(next)
    },
    remove: id => write(read().filter(prompt => prompt.id !== id)),
  }
}

export const promptStore = createPromptStore(guardedStorage)
