import { cutText } from '@/lib/http/domain/cut-text'
import { isObject } from '@/lib/http/domain/is-object'
import { UTM_LENGTH_MAX, UTM_PARAMETERS, type UtmParameter } from '@/lib/http/domain/utm'
import { type GuardedStorage, guardedStorage } from './storage/guarded-storage'
import { parseStored } from './storage/json'
import { setAsideItem } from './storage/set-aside'
import { UTM_KEY } from './storage/storage-keys'

export type UtmRecord = Partial<Record<UtmParameter, string>>

/** The campaign that brought this browser here; null if there was none. */
export function readUtm(storage: GuardedStorage = guardedStorage): UtmRecord | null {
  const stored = parseStored(storage.read(UTM_KEY))
  if (!isObject(stored)) return null
  return pickUtm(name => stored[name])
}

/** Stores the parameters of the first visit that has any; later ones do not replace them. */
export function collectUtm(locationSearch: string, storage: GuardedStorage = guardedStorage): void {
  const parameters = new URLSearchParams(locationSearch)
  const collected = pickUtm(name => parameters.get(name))
  const stored = parseStored(storage.read(UTM_KEY))
  if (!collected || isObject(stored)) return
  if (stored !== null && !setAsideItem(storage, UTM_KEY)) return
  storage.write(UTM_KEY, JSON.stringify(collected))
}

function pickUtm(parameterOf: (name: string) => unknown): UtmRecord | null {
  const record: UtmRecord = {}
  for (const name of UTM_PARAMETERS) {
    const value = parameterOf(name)
    if (typeof value !== 'string') continue
    const text = cutText(value.replace(/\p{Cc}/gu, '').trim(), UTM_LENGTH_MAX)
    if (text !== '') record[name] = text
  }
  return Object.keys(record).length > 0 ? record : null
}
