'use client'

import { mutate } from 'swr'
import { watchedFetch } from '@/lib/http/client/watched-fetch'
import { creditIdStore } from '@/lib/local/credit-id'
import { lastBalanceStore } from '@/lib/local/last-balance'
import { createExternalStore } from '@/lib/local/storage/external-store'
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
  onKnown: (creditId, amountUsd) => lastBalanceStore.note(creditId, amountUsd, Date.now()),
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

/** What the last answer took from the balance, while that is shown beside it. */
export const spentStore = createExternalStore<{ readonly amountUsd: number } | null>(null)

/**
 * Takes over the balance (dollars) that the end of an answer told, without asking the server. It is that of the
 * credit which paid: another one may have taken its place since.
 */
export async function setBalanceFromAnswer(creditId: string, balanceUsd: number, costUsd = 0): Promise<void> {
  if (creditId !== creditIdStore.getSnapshot() || !Number.isFinite(balanceUsd) || balanceUsd < 0) return
  // The end of an answer that was stopped is told twice.
  const isNews = lastBalanceStore.getSnapshot()?.amountUsd !== balanceUsd
  balanceSource.remember(creditId, balanceUsd)
  if (isNews && costUsd > 0) spentStore.set({ amountUsd: costUsd })
  await mutate(balanceKey(creditId), balanceUsd, { revalidate: false })
}
