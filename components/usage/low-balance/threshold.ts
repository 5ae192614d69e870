import { useStore } from '@/components/ui/use-store'
import { fieldsOf } from '@/lib/http/domain/is-object'
import type { Settings } from '@/lib/local/settings/settings'
import { settingsStore } from '@/lib/local/settings/settings-store'
import { guardedStorage } from '@/lib/local/storage/guarded-storage'
import { parseStored } from '@/lib/local/storage/json'
import { SETTINGS_KEY } from '@/lib/local/storage/storage-keys'

/** Enough for a handful of answers of a large model, so there is time to top up before one is cut short. */
const LOW_BALANCE_THRESHOLD_DEFAULT_USD = 0.1
/** More than anybody tops up at once. */
export const LOW_BALANCE_THRESHOLD_MAX_USD = 1000

/** The share of the last top-up below which the balance is low. */
const LOW_SHARE = 0.1

/** A balance is low if it is below a tenth of the last top-up and below the setting. Without any top-up it never is. */
export function isBalanceLow(
  balanceUsd: number,
  { thresholdUsd, toppedUpUsd }: { thresholdUsd: number; toppedUpUsd: number | null },
): boolean {
  return toppedUpUsd !== null && balanceUsd < Math.min(thresholdUsd, toppedUpUsd * LOW_SHARE)
}

/** Dollars below which the notice appears; 0 turns it off. */
function readLowBalanceThreshold(): number {
  const { lowBalanceThresholdUsd: threshold } = fieldsOf(parseStored(guardedStorage.read(SETTINGS_KEY)))
  return isThreshold(threshold) ? threshold : LOW_BALANCE_THRESHOLD_DEFAULT_USD
}

/** A field of our own in `settings`; code that reads the specified fields ignores it. */
export function writeLowBalanceThreshold(lowBalanceThresholdUsd: number): void {
  const patch: Partial<Settings> & { lowBalanceThresholdUsd: number } = { lowBalanceThresholdUsd }
  settingsStore.update(patch)
}

function isThreshold(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= LOW_BALANCE_THRESHOLD_MAX_USD
}

const thresholdStore = {
  subscribe: settingsStore.subscribe,
  getSnapshot: readLowBalanceThreshold,
  getServerSnapshot: () => LOW_BALANCE_THRESHOLD_DEFAULT_USD,
}

/** Dollars; 0 if the notice is turned off. */
export function useLowBalanceThreshold(): number {
  return useStore(thresholdStore)
}
