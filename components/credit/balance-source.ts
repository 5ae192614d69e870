import { CREDIT_RECORD_MISSING } from './balance-error'
import type { CreditAnswer } from './fetch-credit'

/** A refetch sooner than this after the last successful one is skipped (specification, section 9). */
export const REFETCH_AFTER_MS = 4000

interface BalanceSourceDependencies {
  fetchCredit: (creditId: string) => Promise<CreditAnswer>
  /** Milliseconds of any steady clock. */
  now: () => number
}

/**
 * Balances by credit_id: one question at a time for each, none within four seconds of the last answer,
 * unless the throttle is reset. A record of another credit_id is never used.
 */
export function createBalanceSource({ fetchCredit, now }: BalanceSourceDependencies) {
  const lastSuccess = new Map<string, { atMs: number; amountUsd: number }>()
  const inFlight = new Map<string, Promise<number>>()

  async function ask(creditId: string): Promise<number> {
    const answer = await fetchCredit(creditId)
    if (!('record' in answer) || answer.record.creditId !== creditId) throw new Error(CREDIT_RECORD_MISSING)
    lastSuccess.set(creditId, { atMs: now(), amountUsd: answer.record.amountUsd })
    return answer.record.amountUsd
  }

  return {
    /** Dollars. @throws Error with the text to show */
    async get(creditId: string): Promise<number> {
      const running = inFlight.get(creditId)
      if (running) return running
      const last = lastSuccess.get(creditId)
      if (last && now() - last.atMs < REFETCH_AFTER_MS) return last.amountUsd
      const asked = ask(creditId).finally(() => inFlight.delete(creditId))
      inFlight.set(creditId, asked)
      return asked
    },
    /** Lets the next `get` ask at once. */
    resetThrottle(creditId: string): void {
      lastSuccess.delete(creditId)
    },
    /** An answer of the chat told the balance: as good as a fetch. */
    remember(creditId: string, amountUsd: number): void {
      lastSuccess.set(creditId, { atMs: now(), amountUsd })
    },
  }
}
