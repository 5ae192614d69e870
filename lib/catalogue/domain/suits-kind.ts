import { isZero } from '@/lib/money/decimal'
import type { ModelKind, PriceName, Prices } from './model'
import { costsNothing } from './usable-prices'

/** The prices that every call of a kind pays; others only some calls do, or only where somebody counts. */
const PAID_BY_EVERY_CALL: Readonly<Record<ModelKind, readonly PriceName[]>> = {
  chat: ['prompt', 'completion', 'request'],
  image: ['prompt', 'completion', 'image', 'request'],
  speech: ['inputCharacter', 'prompt', 'request'],
  transcription: ['inputSecond', 'request'],
  embedding: ['prompt', 'request'],
}

/** What nobody counts where something is read aloud or written down, so it must not cost anything. */
const UNCOUNTED: Readonly<Record<ModelKind, readonly PriceName[]>> = {
  chat: [],
  image: [],
  speech: ['completion', 'internalReasoning', 'outputAudio', 'outputImage'],
  transcription: ['prompt', 'completion', 'internalReasoning', 'inputAudio', 'outputAudio', 'outputImage'],
  embedding: [],
}

/** Beside such a price the others may be missing, and missing is never free. */
const FOREIGN: Readonly<Record<ModelKind, readonly ('inputCharacter' | 'inputSecond')[]>> = {
  chat: ['inputCharacter', 'inputSecond'],
  image: ['inputCharacter', 'inputSecond'],
  speech: ['inputSecond'],
  transcription: ['inputCharacter'],
  embedding: ['inputCharacter', 'inputSecond'],
}

/**
 * Whether a kind of model can be charged by these prices; one that cannot is not offered. Whatever has any
 * price has one that every call pays: else calls would be free that are not.
 */
export function suitsKind(kind: ModelKind, prices: Prices): boolean {
  const everywhere = [prices, ...prices.overrides.map(override => override.prices)]
  const isPositive = (name: PriceName) => everywhere.some(({ [name]: price }) => price && !isZero(price))
  if (FOREIGN[kind].some(name => everywhere.some(({ [name]: price }) => price))) return false
  if (UNCOUNTED[kind].some(isPositive)) return false
  return costsNothing(prices) || PAID_BY_EVERY_CALL[kind].some(isPositive)
}
