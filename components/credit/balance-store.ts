'use client'

import { mutate } from 'swr'
import { watchedFetch } from '@/lib/http/client/watched-fetch'
import { creditIdStore, isCreditId, ofCredit } from '@/lib/local/credit-id'
import { lastBalanceStore } from '@/lib/local/last-balance'
import { createExternalStore } from '@/lib/local/storage/external-store'
import { guardedStorage } from '@/lib/local/storage/guarded-storage'
import { setAsideItem } from '@/lib/local/storage/set-aside'
import { CREDIT_ID_KEY } from '@/lib/local/storage/storage-keys'
import { logError } from '@/lib/telemetry/browser-console'
import { createBalanceSource } from './balance-source'
import { fetchCredit } from './fetch-credit'

/** One for the whole page, so that all callers share the throttle. */
export const balanceSource = createBalanceSource({
  fetchCredit: creditId =>
    fetchCredit(creditId, {
      fetch: watchedFetch,
      log: text => logError(`Balance: ${text}`),
    }),
  now: () => performance.now(),
  onKnown: (creditId, amountUsd) => lastBalanceStore.note(creditId, amountUsd, Date.now()),
  onUnknown: setAsideIfDamaged,
})

/** What is no UUID can never become known, and has neither words nor a code to show. */
function setAsideIfDamaged(creditId: string): void {
  if (isCreditId(creditId) || creditIdStore.getSnapshot() !== creditId) return
  setAsideItem(guardedStorage, CREDIT_ID_KEY)
  creditIdStore.refresh()
}

export type BalanceKey = readonly ['balance', creditId: string]

export function balanceKey(creditId: string): BalanceKey {
  return ['balance', creditId]
}

/** Fetches the balance at once, past the throttle. Does nothing without a credit. */
export async function refreshBalance(): Promise<void> {
  const creditId = creditIdStore.getSnapshot()
  if (!creditId) return
  balanceSource.resetThrottle(creditId)
  await mutate(balanceKey(creditId))
}

/** Fetches the balance if the last answer is old enough (`REFETCH_AFTER_MS`). */
export async function refreshBalanceIfStale(): Promise<void> {
  const creditId = creditIdStore.getSnapshot()
  if (creditId) await mutate(balanceKey(creditId))
}

/** The cost of the last answer, while it is shown beside the balance. */
export const spentStore = createExternalStore<{ readonly amountUsd: number } | null>(null)

/** Amounts are whole nano-dollars; numbers of them differ by less. */
const HALF_NANO_USD = 5e-10

/**
 * Takes over the balance in dollars that came with the end of an answer. It belongs to the credit that paid, which may
 * have been replaced since. If it is not what that answer has left of the last known balance, it is fetched: an answer
 * whose end was fetched late tells what was left then, before other answers or a top-up. So it is if the answer told none
 * (NaN): it may have been refused because the balance is not what this page believes.
 */
export async function setBalanceFromAnswer(
  creditId: string,
  balanceUsd: number,
  costUsd: number,
): Promise<void> {
  if (creditId !== creditIdStore.getSnapshot()) return
  const knownUsd = ofCredit(lastBalanceStore.getSnapshot(), creditId)?.amountUsd ?? null
  // A stopped answer reports its end twice.
  const isChanged = knownUsd !== balanceUsd
  if (isChanged && costUsd > 0) spentStore.set({ amountUsd: costUsd })
  const isLeft =
    knownUsd === null ? balanceUsd >= 0 : Math.abs(knownUsd - costUsd - balanceUsd) < HALF_NANO_USD
  if (isChanged && !isLeft) return refreshBalance()
  balanceSource.remember(creditId, balanceUsd)
  await mutate(balanceKey(creditId), balanceUsd, { revalidate: false })
}
