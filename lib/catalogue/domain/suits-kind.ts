import { isZero } from '@/lib/money/decimal'
import type { ModelKind, PriceName, Prices } from './model'
import { costsNothing } from './usable-prices'

interface KindPrices {
  /** What every call pays; other prices only some calls do, or only where somebody counts. */
  readonly everyCall: readonly PriceName[]
  /** What nobody counts, so it must not cost anything. */
  readonly uncounted: readonly PriceName[]
  /** Beside such a price the others may be missing, and missing is never free. */
  readonly foreign: readonly ('inputCharacter' | 'inputSecond')[]
}

const KIND_PRICES: Readonly<Record<ModelKind, KindPrices>> = {
  chat: {
    everyCall: ['prompt', 'completion', 'request'],
    uncounted: [],
    foreign: ['inputCharacter', 'inputSecond'],
  },
  image: {
    everyCall: ['prompt', 'completion', 'image', 'request'],
    uncounted: [],
    foreign: ['inputCharacter', 'inputSecond'],
  },
  speech: {
    everyCall: ['inputCharacter', 'prompt', 'request'],
    uncounted: ['completion', 'internalReasoning', 'outputAudio', 'outputImage'],
    foreign: ['inputSecond'],
  },
  transcription: {
    everyCall: ['inputSecond', 'request'],
    uncounted: ['prompt', 'completion', 'internalReasoning', 'inputAudio', 'outputAudio', 'outputImage'],
    foreign: ['inputCharacter'],
  },
  embedding: {
    everyCall: ['prompt', 'request'],
    uncounted: [],
    foreign: ['inputCharacter', 'inputSecond'],
  },
}

/**
 * Whether a kind of model can be charged by these prices; one that cannot is not offered. Whatever has any
 * price has one that every call pays: else calls would be free that are not.
 */
export function suitsKind(kind: ModelKind, prices: Prices): boolean {
  const everywhere = [prices, ...prices.overrides.map(override => override.prices)]
  const isPositive = (name: PriceName) => everywhere.some(({ [name]: price }) => price && !isZero(price))
  const { everyCall, uncounted, foreign } = KIND_PRICES[kind]
  if (foreign.some(name => everywhere.some(({ [name]: price }) => price))) return false
  if (uncounted.some(isPositive)) return false
  return costsNothing(prices) || everyCall.some(isPositive)
}
