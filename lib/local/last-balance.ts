import { isNotNegative, isObject } from '@/lib/http/domain/is-object'
import { creditIdFirstSegment, ofCredit } from './credit-id'
import { createEntryStore } from './storage/entry-store'
import { createGuardedStorage, guardedStorage } from './storage/guarded-storage'
import { parseStored } from './storage/json'
import { openArea } from './storage/storage-area'
import { LAST_BALANCE_KEY } from './storage/storage-keys'

/** The last known balance. It is shown as what it is: old. */
interface LastBalance {
  readonly creditSegment: string
  readonly amountUsd: number
  readonly atMs: number
  /** The balance after the last top-up that this browser has seen; null if it has seen none. */
  readonly afterTopUpUsd: number | null
}

/** The balance can be requested again, so a full disk is no reason to interrupt anybody. */
const storage = createGuardedStorage(
  () => openArea('localStorage'),
  guardedStorage.subscribe,
  () => undefined,
)
const entry = createEntryStore(storage, LAST_BALANCE_KEY, parse)

export const lastBalanceStore = {
  ...entry,
  note(creditId: string, amountUsd: number, atMs: number): void {
    const creditSegment = creditIdFirstSegment(creditId)
    const known = ofCredit(entry.getSnapshot(), creditId)
    const afterTopUpUsd = balanceAfterTopUp(known?.afterTopUpUsd ?? null, known?.amountUsd ?? null, amountUsd)
    const balance: LastBalance = { creditSegment, amountUsd, atMs, afterTopUpUsd }
    try {
      entry.write(JSON.stringify(balance))
    } catch {
      // A browser that refuses writes has reported it where it matters.
    }
  },
}

function parse(text: string | null): LastBalance | null {
  const stored = parseStored(text)
  if (!isObject(stored)) return null
  const { creditSegment, amountUsd, atMs, afterTopUpUsd = null } = stored
  if (typeof creditSegment !== 'string' || !isNotNegative(amountUsd) || !isNotNegative(atMs)) return null
  return {
    creditSegment,
    amountUsd,
    atMs,
    afterTopUpUsd: isNotNegative(afterTopUpUsd) ? afterTopUpUsd : null,
  }
}

/** A smaller rise, relative to the last top-up, may be a released hold. */
const TOP_UP_SHARE = 0.1

/**
 * The balance after the last top-up, once `balanceUsd` is seen. A rise counts as a top-up unless it is so small that it
 * may be a released hold.
 */
function balanceAfterTopUp(
  known: number | null,
  previousUsd: number | null,
  balanceUsd: number,
): number | null {
  if (balanceUsd <= 0) return known
  if (known === null || balanceUsd > known) return balanceUsd
  const riseUsd = previousUsd === null ? 0 : balanceUsd - previousUsd
  return riseUsd >= known * TOP_UP_SHARE ? balanceUsd : known
}
