import { fieldsOf } from '@/lib/http/domain/is-object'
import { tryParseJson } from '@/lib/http/domain/try-parse-json'
import { createEntryStore } from '../storage/entry-store'
import type { ExternalStore } from '../storage/external-store'
import { type GuardedStorage, guardedStorage } from '../storage/guarded-storage'
import { heldMarks, holdMark, withLock } from '../storage/locks'
import { WALLET_CONNECTION_KEY, WALLET_TOP_UPS_KEY } from '../storage/storage-keys'

/** The connection to the person's wallet, sealed (sealed-connection.ts). */
export const walletConnectionStore = createEntryStore(guardedStorage, WALLET_CONNECTION_KEY, text => text)

export interface WalletRecord extends ExternalStore<string | null> {
  /**
   * Writes what `next` returns for the stored state, or nothing if that is null. Returns false if it was not written,
   * because local storage is full, or another tab's write is not visible here yet. The action it records must then not
   * be taken.
   */
  change(next: (state: unknown) => object | null): Promise<boolean>
}

const MARK_PREFIX = 'tuppence-wallet-revision-'

/**
 * Local storage reaches other processes with a delay: a tab could read that no payment is in progress, and pay again.
 * So each writer marks its revision before writing it, and nobody builds on an older one.
 */
export function createWalletRecord(storage: GuardedStorage): WalletRecord {
  const store = createEntryStore(storage, WALLET_TOP_UPS_KEY, text => text)
  let mark: ReturnType<typeof holdMark> | null = null
  storage.subscribe(key => {
    // Everything was deleted, so there is no older revision to build on.
    if (key === null) mark?.release()
  })
  return {
    ...store,
    change: next =>
      withLock(WALLET_TOP_UPS_KEY, async () => {
        const stored = tryParseJson(store.getSnapshot() ?? 'null')
        const revision = revisionOf(stored)
        if (Math.max(0, ...(await heldMarks(MARK_PREFIX)).map(Number)) > revision) return false
        const state = next(stored)
        if (state === null) return false
        const written = holdMark(`${MARK_PREFIX}${revision + 1}`)
        await written.held
        if (!store.write(JSON.stringify({ ...state, revision: revision + 1 }))) {
          written.release()
          return false
        }
        mark?.release()
        mark = written
        return true
      }),
  }
}

/** What the wallet may pay by itself, and its payments (lib/payments/domain/wallet-top-ups). */
export const walletRecord = createWalletRecord(guardedStorage)

function revisionOf(stored: unknown): number {
  const { revision } = fieldsOf(stored)
  return typeof revision === 'number' && Number.isSafeInteger(revision) && revision > 0 ? revision : 0
}
