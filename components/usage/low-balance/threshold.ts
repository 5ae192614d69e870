import { useStore } from '@/components/ui/use-store'
import { isObject } from '@/lib/http/domain/is-object'
import type { Settings } from '@/lib/local/settings/settings'
import { settingsStore } from '@/lib/local/settings/settings-store'
import { guardedStorage } from '@/lib/local/storage/guarded-storage'
import { tryParseJson } from '@/lib/local/storage/json'
import { SETTINGS_KEY } from '@/lib/local/storage/storage-keys'

/** Enough for a handful of answers of a large model: time to top up before one is cut short. */
const LOW_BALANCE_THRESHOLD_DEFAULT_USD = 0.1
/** Beyond what anybody tops up at once. */
const LOW_BALANCE_THRESHOLD_MAX_USD = 1000

/** Of what was topped up, the part at which there is reason to speak. */
const LOW_SHARE = 0.1

/** Fields of our own in `settings`; readers of the specified fields leave them as they are. */
interface LowBalanceSettings {
  lowBalanceThresholdUsd: number
  /** The balance after the last top-up that this browser has seen. */
  balanceAfterTopUpUsd: number
}

/**
 * Below a tenth of the last top-up, and below the setting in any case. Where nothing was ever topped up,
 * nothing runs out.
 */
export function isBalanceLow(
  balanceUsd: number,
  { thresholdUsd, toppedUpUsd }: { thresholdUsd: number; toppedUpUsd: number | null },
): boolean {
  return toppedUpUsd !== null && balanceUsd < Math.min(thresholdUsd, toppedUpUsd * LOW_SHARE)
}

/**
 * The balance after the last top-up, once `balanceUsd` is seen. A rise counts as a top-up unless it is so
 * small that it may be a hold that was given back.
 */
export function balanceAfterTopUp(
  known: number | null,
  previousUsd: number | null,
  balanceUsd: number,
): number | null {
  if (balanceUsd <= 0) return known
  if (known === null || balanceUsd > known) return balanceUsd
  const riseUsd = previousUsd === null ? 0 : balanceUsd - previousUsd
  return riseUsd >= known * LOW_SHARE ? balanceUsd : known
}

function readField(name: keyof LowBalanceSettings): unknown {
  const stored = tryParseJson(guardedStorage.read(SETTINGS_KEY) ?? '{}')
  return isObject(stored) ? stored[name] : undefined
}

/** False when local storage is full. */
function write(fields: Partial<LowBalanceSettings>): boolean {
  const patch: Partial<Settings> & Partial<LowBalanceSettings> = fields
  return settingsStore.update(patch)
}

/** Dollars below which the notice appears; 0 turns it off. */
function readLowBalanceThreshold(): number {
  const threshold = readField('lowBalanceThresholdUsd')
  return isThreshold(threshold) ? threshold : LOW_BALANCE_THRESHOLD_DEFAULT_USD
}

/** False when local storage is full. */
export function writeLowBalanceThreshold(lowBalanceThresholdUsd: number): boolean {
  return write({ lowBalanceThresholdUsd })
}

function readBalanceAfterTopUp(): number | null {
  const usd = readField('balanceAfterTopUpUsd')
  return typeof usd === 'number' && usd > 0 ? usd : null
}

let previousUsd: number | null = null

/** Takes notice of a balance that is known. */
export function noticeBalance(balanceUsd: number): void {
  const known = readBalanceAfterTopUp()
  const next = balanceAfterTopUp(known, previousUsd, balanceUsd)
  previousUsd = balanceUsd
  if (next !== null && next !== known) write({ balanceAfterTopUpUsd: next })
}

const toppedUpStore = {
  subscribe: settingsStore.subscribe,
  getSnapshot: readBalanceAfterTopUp,
  getServerSnapshot: () => null,
}

/** Dollars that were there after the last top-up; null when this browser has seen none. */
export function useBalanceAfterTopUp(): number | null {
  return useStore(toppedUpStore)
}

export function isThreshold(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= LOW_BALANCE_THRESHOLD_MAX_USD
}

const thresholdStore = {
  subscribe: settingsStore.subscribe,
  getSnapshot: readLowBalanceThreshold,
  getServerSnapshot: () => LOW_BALANCE_THRESHOLD_DEFAULT_USD,
}

/** Dollars; 0 when the notice is turned off. */
export function useLowBalanceThreshold(): number {
  return useStore(thresholdStore)
}
