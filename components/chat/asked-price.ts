import { createExternalStore, type ExternalStore } from '@/lib/local/storage/external-store'

/**
 * From here on a price is asked about before it is paid. Ten cents are some hundred everyday answers, and a
 * tenth of the dollar that most begin with: nobody spends them with a tap by mistake, and few are asked twice.
 */
export const ASKED_FROM_USD = 0.1

interface AskedPrice {
  readonly usd: number
  readonly answer: (isAccepted: boolean) => void
}

const store = createExternalStore<AskedPrice | null>(null)

/** The price that waits for a word; null when none does. */
export const askedPriceStore: ExternalStore<AskedPrice | null> = store

/** Whether to go on: at once where the price is small or not known, else what the person says to it. */
export function acceptsPrice(usd: number | null): Promise<boolean> {
  withdrawPrice()
  if (usd === null || usd < ASKED_FROM_USD) return Promise.resolve(true)
  return new Promise(resolve => {
    const answer = (isAccepted: boolean) => {
      store.set(null)
      resolve(isAccepted)
    }
    store.set({ usd, answer })
  })
}

/** What was asked about is no longer what would be bought. */
export function withdrawPrice(): void {
  store.getSnapshot()?.answer(false)
}
