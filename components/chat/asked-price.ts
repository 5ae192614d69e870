import {
  questionAbout,
  readSpendingLimits,
  type Spending,
  type SpendingQuestion,
} from '@/lib/local/spending-limits'
import { createExternalStore, type ExternalStore } from '@/lib/local/storage/external-store'

interface AskedPrice extends SpendingQuestion {
  readonly answer: (isAccepted: boolean) => void
}

const store = createExternalStore<AskedPrice | null>(null)

/** The price that waits for a word; null when none does. */
export const askedPriceStore: ExternalStore<AskedPrice | null> = store

/** Whether to go on: at once where the price is small or not known, else what the person says to it. */
export function acceptsPrice(
  aboutUsd: number | null,
  spending: Partial<Omit<Spending, 'aboutUsd'>> = {},
): Promise<boolean> {
  withdrawPrice()
  const asked = questionAbout(readSpendingLimits(), { mostUsd: null, spentUsd: 0, ...spending, aboutUsd })
  if (asked === null) return Promise.resolve(true)
  return new Promise(resolve => {
    const answer = (isAccepted: boolean) => {
      store.set(null)
      resolve(isAccepted)
    }
    store.set({ ...asked, answer })
  })
}

/** What was asked about is no longer what would be bought. */
export function withdrawPrice(): void {
  store.getSnapshot()?.answer(false)
}
