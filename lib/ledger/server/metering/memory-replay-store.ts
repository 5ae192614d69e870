import 'server-only'
import type { ReplayStore, StoredReplay } from './replay-store'

/** For deployments whose ledger is elsewhere, and for tests: answers are kept by this process alone. */
export function createMemoryReplayStore(input: { bytesMax: number; now?: () => number }): ReplayStore {
  const now = input.now ?? Date.now
  const byId = new Map<string, StoredReplay & { expiresAtMs: number }>()
  let byteCount = 0

  function remove(exchangeId: string): void {
    byteCount -= byId.get(exchangeId)?.sealed.byteLength ?? 0
    byId.delete(exchangeId)
  }

  return {
    async put({ ttlSeconds, ...replay }) {
      if (byId.has(replay.exchangeId) || replay.sealed.byteLength > input.bytesMax) return
      byId.set(replay.exchangeId, { ...replay, expiresAtMs: now() + ttlSeconds * 1_000 })
      byteCount += replay.sealed.byteLength
      // A map keeps its order of insertion: the oldest answers make way.
      for (const exchangeId of byId.keys()) {
        if (byteCount <= input.bytesMax) break
        remove(exchangeId)
      }
    },
    async find(name) {
      for (const replay of byId.values()) {
        const named = replay.exchangeId === name || replay.resumeName === name
        if (named && replay.expiresAtMs > now()) return replay
      }
      return null
    },
    async sweep({ rowCountMax }) {
      const expired = [...byId.values()].filter(replay => replay.expiresAtMs <= now())
      for (const { exchangeId } of expired.slice(0, rowCountMax)) remove(exchangeId)
    },
  }
}
