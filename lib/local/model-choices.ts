import { fieldsOf, listOf } from '@/lib/http/domain/is-object'
import { createEntryStore } from './storage/entry-store'
import { guardedStorage } from './storage/guarded-storage'
import { parseStored } from './storage/json'
import { MODEL_CHOICES_KEY } from './storage/storage-keys'

/** Models by id: the favourites, and the most recently chosen, newest first. */
export interface ModelChoices {
  readonly favouriteIds: readonly string[]
  readonly recentIds: readonly string[]
}

/** With more, it would be just another long list. */
export const FAVOURITE_COUNT_MAX = 50
export const RECENT_COUNT_MAX = 5
const ID_LENGTH_MAX = 256

/** Ignores what this version does not understand. */
export function parseModelChoices(text: string | null): ModelChoices {
  const { favouriteIds, recentIds } = fieldsOf(parseStored(text))
  return {
    favouriteIds: readIds(favouriteIds, FAVOURITE_COUNT_MAX),
    recentIds: readIds(recentIds, RECENT_COUNT_MAX),
  }
}

function readIds(value: unknown, countMax: number): readonly string[] {
  const ids = listOf(value).filter(
    (id): id is string => typeof id === 'string' && id !== '' && id.length <= ID_LENGTH_MAX,
  )
  return [...new Set(ids)].slice(0, countMax)
}

export function toggleFavourite(choices: ModelChoices, modelId: string): ModelChoices {
  const others = choices.favouriteIds.filter(id => id !== modelId)
  const isNew = others.length === choices.favouriteIds.length
  return {
    ...choices,
    favouriteIds: isNew ? [modelId, ...others].slice(0, FAVOURITE_COUNT_MAX) : others,
  }
}

export function noteRecent(choices: ModelChoices, modelId: string): ModelChoices {
  const others = choices.recentIds.filter(id => id !== modelId)
  return { ...choices, recentIds: [modelId, ...others].slice(0, RECENT_COUNT_MAX) }
}

export const modelChoicesStore = createEntryStore(guardedStorage, MODEL_CHOICES_KEY, parseModelChoices)

/** Each change is applied to what is stored at that moment, because another tab may have written. */
export function changeModelChoices(change: (choices: ModelChoices) => ModelChoices): void {
  modelChoicesStore.write(JSON.stringify(change(modelChoicesStore.getSnapshot())))
}
