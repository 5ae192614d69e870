import {
  questionAbout,
  type Spending,
  type SpendingQuestion,
  spendingLimitsStore,
} from '@/lib/local/spending-limits'
import { createExternalStore, type ExternalStore } from '@/lib/local/storage/external-store'

interface OpenPriceQuestion extends SpendingQuestion {
  readonly answer: (isAccepted: boolean) => void
}

const store = createExternalStore<OpenPriceQuestion | null>(null)

/** The price that waits for the person's consent; null if there is none. */
export const askedPriceStore: ExternalStore<OpenPriceQuestion | null> = store

/** Whether to go on: true at once if the price is small or unknown, else the person's decision. */
export function acceptsPrice(
  aboutUsd: number | null,
  spending: Partial<Omit<Spending, 'aboutUsd'>> = {},
): Promise<boolean> {
  withdrawPrice()
  const question = questionAbout(spendingLimitsStore.getSnapshot(), {
    mostUsd: null,
    spentUsd: 0,
    ...spending,
    aboutUsd,
  })
  if (question === null) return Promise.resolve(true)
  return new Promise(resolve => {
    const answer = (isAccepted: boolean) => {
      store.set(null)
      resolve(isAccepted)
    }
    store.set({ ...question, answer })
  })
}

/** Cancels the question when the price no longer matches what would be bought. */
export function withdrawPrice(): void {
  store.getSnapshot()?.answer(false)
}
