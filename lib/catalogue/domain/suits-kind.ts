import { isZero } from '@/lib/money/decimal'
import type { ModelKind, PriceName, Prices } from './model'
import { costsNothing } from './usable-prices'

/** Of speech and transcription alone. */
const SOUND_UNITS = ['inputCharacter', 'inputSecond', 'recordingMin'] as const

interface KindPrices {
  /** What every call pays; other prices apply only to some calls, or only if their units are counted. */
  readonly everyCall: readonly PriceName[]
  /** Units that are not counted, so they must not cost anything. */
  readonly uncounted: readonly PriceName[]
  /** If there is such a price, others may be missing, and a missing price never means free. */
  readonly foreign: readonly (typeof SOUND_UNITS)[number][]
}

const BY_SECOND: KindPrices = {
  everyCall: ['inputSecond', 'recordingMin', 'request'],
  uncounted: ['prompt', 'completion', 'internalReasoning', 'inputAudio', 'outputAudio', 'outputImage'],
  foreign: ['inputCharacter'],
}

/** As OpenAI bills its `gpt-4o-transcribe`. */
const BY_TOKEN: KindPrices = {
  everyCall: ['prompt', 'completion', 'inputAudio'],
  uncounted: ['internalReasoning', 'outputAudio', 'outputImage'],
  foreign: SOUND_UNITS,
}

/** The ways in which a kind may be priced. */
const KIND_PRICES: Readonly<Record<ModelKind, readonly KindPrices[]>> = {
  chat: [{ everyCall: ['prompt', 'completion', 'request'], uncounted: [], foreign: SOUND_UNITS }],
  image: [{ everyCall: ['prompt', 'completion', 'image', 'request'], uncounted: [], foreign: SOUND_UNITS }],
  speech: [
    {
      everyCall: ['inputCharacter', 'prompt', 'request'],
      uncounted: ['completion', 'internalReasoning', 'outputAudio', 'outputImage'],
      foreign: ['inputSecond', 'recordingMin'],
    },
  ],
  transcription: [BY_SECOND, BY_TOKEN],
  embedding: [{ everyCall: ['prompt', 'request'], uncounted: [], foreign: SOUND_UNITS }],
}

/**
 * Whether a kind of model can be charged by these prices; otherwise it is not offered. If any price is set, one that
 * every call pays must be, too: otherwise some calls would be free by mistake.
 */
export function suitsKind(kind: ModelKind, prices: Prices): boolean {
  return KIND_PRICES[kind].some(way => suits(way, prices))
}

/** A recording is paid by the second or by the token, never by both. */
export function isHeardByToken(prices: Prices): boolean {
  return !costsNothing(prices) && suits(BY_TOKEN, prices)
}

function suits({ everyCall, uncounted, foreign }: KindPrices, prices: Prices): boolean {
  const everywhere = [prices, ...prices.overrides.map(override => override.prices)]
  const isPositive = (name: PriceName) => everywhere.some(({ [name]: price }) => price && !isZero(price))
  if (foreign.some(name => everywhere.some(({ [name]: price }) => price))) return false
  if (uncounted.some(isPositive)) return false
  return costsNothing(prices) || everyCall.some(isPositive)
}
