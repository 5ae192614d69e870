import { isObject } from '@/lib/http/domain/is-object'
import { tryParseJson } from '@/lib/http/domain/try-parse-json'

export type JsonRecord = Record<string, unknown>

/** What careless code stores instead of nothing. */
const EMPTY_TEXTS = new Set(['', 'null', 'undefined'])

/** The value of a stored text: null if it is empty, undefined if it is not JSON. */
export function parseStored(text: string | null): unknown {
  return text === null || EMPTY_TEXTS.has(text.trim()) ? null : tryParseJson(text)
}

/** A stored word or number without the quotes in which other products store one; empty if there is none. */
export function bareText(text: string | null): string {
  return text?.replaceAll('"', '').trim() ?? ''
}

/** Structural equality of two parsed JSON values; far cheaper than serializing both. */
export function isSameJson(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true
  if (Array.isArray(left)) {
    return (
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((item, index) => isSameJson(item, right[index]))
    )
  }
  if (!isObject(left) || !isObject(right)) return false
  const keys = definedKeys(left)
  return (
    keys.length === definedKeys(right).length &&
    keys.every(key => Object.hasOwn(right, key) && isSameJson(left[key], right[key]))
  )
}

/** A field with the value undefined is not serialized, so it does not count. */
function definedKeys(record: JsonRecord): string[] {
  return Object.keys(record).filter(key => record[key] !== undefined)
}
