'use client'

import { mutate } from 'swr'
import { watchedFetch } from '@/lib/http/client/watched-fetch'
import { creditIdStore } from '@/lib/local/credit-id'
import { logError } from '@/lib/telemetry/browser-console'
import { createBalanceSource } from './balance-source'
import { fetchCredit } from './fetch-credit'

/** One for the page: the throttle holds whoever asks. */
export const balanceSource = createBalanceSource({
  fetchCredit: creditId =>
    fetchCredit(creditId, {
      fetch: watchedFetch,
      log: text => logError(`Balance: ${text}`),
    }),
  now: () => performance.now(),
})

export type BalanceKey = readonly ['balance', creditId: string]

export function balanceKey(creditId: string): BalanceKey {
  return ['balance', creditId]
}

/** Asks for the balance now, whatever was asked before; does nothing without a credit. */
export async function refreshBalance(): Promise<void> {
  const creditId = creditIdStore.getSnapshot()
  if (!creditId) return
  balanceSource.resetThrottle(creditId)
  await mutate(balanceKey(creditId))
}

/** Asks for the balance if the last answer is old enough (`REFETCH_AFTER_MS`). */
export async function lookAtBalance(): Promise<void> {
  const creditId = creditIdStore.getSnapshot()
  if (creditId) await mutate(balanceKey(creditId))
}

/** Takes over the balance (dollars) that the end of an answer told, without asking the server. */
export async function setBalanceFromAnswer(balanceUsd: number): Promise<void> {
  const creditId = creditIdStore.getSnapshot()
  if (!creditId || !Number.isFinite(balanceUsd) || balanceUsd < 0) return
  balanceSource.remember(creditId, balanceUsd)
  await mutate(balanceKey(creditId), balanceUsd, { revalidate: false })
}
