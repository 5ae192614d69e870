import { isObject } from '@/lib/http/domain/is-object'
import { isCreditId } from './credit-id'
import { createEntryStore } from './storage/entry-store'
import { guardedStorage } from './storage/guarded-storage'
import { parseStored } from './storage/json'
import { CREDIT_REPLACEMENT_KEY } from './storage/storage-keys'

/** A credit that leaked, and the one that takes its place. Both are bearer secrets. */
export type CreditReplacement =
  | {
      readonly fromCreditId: string
      readonly intoCreditId: string
      /**
       * `prepared`: the new credit exists, and nothing has moved. `moving`: this browser uses the new one, and a part
       * of the money may still be on the old one.
       */
      readonly state: 'prepared' | 'moving'
    }
  /** The old one is empty; the new one is this browser's, and may be replaced or removed like any other. */
  | { readonly fromCreditId: string; readonly state: 'done' }

const entry = createEntryStore(guardedStorage, CREDIT_REPLACEMENT_KEY, parseReplacement)

/** The last replacement in this browser; null if there was none. Until its money has moved, both ids are kept by it. */
export const creditReplacementStore = {
  ...entry,
  /** Returns false if local storage is full. */
  put: (replacement: CreditReplacement): boolean => entry.write(JSON.stringify(replacement)),
}

/** Whether a part of a leaked credit's money is still on its way to this one. */
export function isFollowed(replacement: CreditReplacement | null, creditId: string): boolean {
  return replacement?.state === 'moving' && replacement.intoCreditId === creditId
}

function parseReplacement(text: string | null): CreditReplacement | null {
  const stored = parseStored(text)
  if (!isObject(stored)) return null
  const { fromCreditId, intoCreditId, state } = stored
  if (typeof fromCreditId !== 'string') return null
  if (state === 'done') return { fromCreditId, state }
  if (state !== 'prepared' && state !== 'moving') return null
  return typeof intoCreditId === 'string' && isCreditId(intoCreditId)
    ? { fromCreditId, intoCreditId, state }
    : null
}
