import { CREDIT_RECORD_MISSING, UnknownCreditError } from './balance-error'
import type { CreditAnswer } from './fetch-credit'

/** As specified: no refetch sooner than this after the last successful one. */
export const REFETCH_AFTER_MS = 4000

interface BalanceSourceDependencies {
  fetchCredit: (creditId: string) => Promise<CreditAnswer>
  /** Milliseconds of any monotonic clock. */
  now: () => number
  /** Called whenever a balance is known for certain. */
  onKnown: (creditId: string, amountUsd: number) => void
  /** Called whenever the server does not know a credit. */
  onUnknown: (creditId: string) => void
}

/**
 * Fetches balances by credit_id: one request at a time for each, and none within four seconds of the last answer unless
 * the throttle is reset. A record of another credit_id is never used.
 */
export function createBalanceSource({ fetchCredit, now, onKnown, onUnknown }: BalanceSourceDependencies) {
  const lastSuccess = new Map<string, { atMs: number; amountUsd: number }>()
  const inFlight = new Map<string, Promise<number>>()

  async function fetchBalance(creditId: string): Promise<number> {
    const answer = await fetchCredit(creditId)
    if ('error' in answer && answer.isUnknown) {
      onUnknown(creditId)
      throw new UnknownCreditError()
    }
    if (!('record' in answer) || answer.record.creditId !== creditId) throw new Error(CREDIT_RECORD_MISSING)
    return answer.record.amountUsd
  }

  function remember(creditId: string, amountUsd: number): void {
    lastSuccess.set(creditId, { atMs: now(), amountUsd })
    onKnown(creditId, amountUsd)
  }

  function begin(creditId: string): Promise<number> {
    const isLatest = () => inFlight.get(creditId) === request
    const request = fetchBalance(creditId)
      .then(amountUsd => {
        if (isLatest()) remember(creditId, amountUsd)
        return amountUsd
      })
      .finally(() => {
        if (isLatest()) inFlight.delete(creditId)
      })
    inFlight.set(creditId, request)
    return request
  }

  return {
    /** Dollars. @throws Error with the text to show */
    async get(creditId: string): Promise<number> {
      const running = inFlight.get(creditId)
      if (running) return running
      const last = lastSuccess.get(creditId)
      if (last && now() - last.atMs < REFETCH_AFTER_MS) return last.amountUsd
      return begin(creditId)
    },
    /** Lets the next `get` fetch at once, and drops a request in flight, whose answer may already be old. */
    resetThrottle(creditId: string): void {
      lastSuccess.delete(creditId)
      inFlight.delete(creditId)
    },
    /** Takes over a balance that came with an answer of the chat; it counts as a fetch. */
    remember,
  }
}
