import { isObject } from '@/lib/http/domain/is-object'
import { creditIdFirstSegment } from './credit-id'
import { createListeners, type ExternalStore } from './storage/external-store'
import { createGuardedStorage, type GuardedStorage, guardedStorage } from './storage/guarded-storage'
import { tryParseJson } from './storage/json'
import { openArea } from './storage/storage-area'
import { LAST_BALANCE_KEY } from './storage/storage-keys'

/** What was last told of a balance. It is shown for what it is: old. */
interface LastBalance {
  readonly creditSegment: string
  readonly amountUsd: number
  readonly atMs: number
}

interface LastBalanceStore extends ExternalStore<LastBalance | null> {
  note(creditId: string, amountUsd: number, atMs: number): void
}

function createLastBalanceStore(storage: GuardedStorage): LastBalanceStore {
  const { subscribe, notify } = createListeners()
  let text: string | null = null
  let snapshot: LastBalance | null = null
  storage.subscribe(key => {
    if (key === null || key === LAST_BALANCE_KEY) notify()
  })
  return {
    subscribe,
    getSnapshot() {
      const stored = storage.read(LAST_BALANCE_KEY)
      if (stored !== text) snapshot = parse(stored)
      text = stored
      return snapshot
    },
    getServerSnapshot: () => null,
    note(creditId, amountUsd, atMs) {
      const balance: LastBalance = { creditSegment: creditIdFirstSegment(creditId), amountUsd, atMs }
      storage.write(LAST_BALANCE_KEY, JSON.stringify(balance))
      notify()
    },
  }
}

function parse(text: string | null): LastBalance | null {
  const stored = text === null ? null : tryParseJson(text)
  if (!isObject(stored)) return null
  const { creditSegment, amountUsd, atMs } = stored
  if (typeof creditSegment !== 'string' || !isCount(amountUsd) || !isCount(atMs)) return null
  return { creditSegment, amountUsd, atMs }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

/** It can be asked for again: a full disk is no reason to interrupt anybody for it. */
export const lastBalanceStore = createLastBalanceStore(
  createGuardedStorage(
    () => openArea('localStorage'),
    guardedStorage.subscribe,
    () => undefined,
  ),
)
