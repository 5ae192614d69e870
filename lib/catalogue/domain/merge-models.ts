import type { Decimal } from '@/lib/money/decimal'
import { applyMarkup } from './apply-markup'
import type { Model } from './model'
import { modelKind } from './model-kind'
import type { OperatorModel } from './parse-model-prices'
import type { UpstreamModel } from './upstream-model'
import { FREE_PRICES, usableImagePrices, usablePrices } from './usable-prices'

/** One upstream's list, in the operator's order. */
export interface UpstreamList {
  readonly upstreamId: string
  /** Null: the upstream publishes no list, and is taken to have what the operator prices. */
  readonly models: readonly UpstreamModel[] | null
  /** Runs on this machine and costs nothing (local models of the embedded default). */
  readonly free: boolean
}

/**
 * Every usable model once. The first upstream that has it at a usable price gives name and price; the
 * others are where it goes when the first refuses. A model that is free here never moves on to an
 * upstream that wants money for it, nor the other way round.
 */
export function mergeModels(input: {
  lists: readonly UpstreamList[]
  operatorModels: ReadonlyMap<string, OperatorModel>
  priceMarkup: Decimal
}): Model[] {
  const { lists, operatorModels, priceMarkup } = input
  const merged = new Map<string, { model: Model; free: boolean }>()
  for (const { upstreamId, models, free } of lists) {
    for (const listed of models ?? unlisted(operatorModels)) {
      const known = merged.get(listed.id)
      const model = usableModel(listed, operatorModels.get(listed.id), { upstreamId, free, priceMarkup })
      if (!model || (known && known.free !== free)) continue
      merged.set(listed.id, { model: known ? withUpstream(known.model, upstreamId) : model, free })
    }
  }
  return [...merged.values()].map(({ model }) => model)
}

function usableModel(
  listed: UpstreamModel,
  operator: OperatorModel | undefined,
  source: { upstreamId: string; free: boolean; priceMarkup: Decimal },
): Model | null {
  const kind = operator?.kind ?? modelKind(listed.id, listed.outputModalities)
  const readPrices = kind === 'image' ? usableImagePrices : usablePrices
  const prices = operator?.prices ?? (source.free ? FREE_PRICES : readPrices(listed.pricing))
  if (!prices || !kind) return null
  return {
    id: listed.id,
    name: operator?.name ?? listed.name,
    description: listed.description,
    kind,
    createdAtSeconds: listed.createdAtSeconds,
    contextLength: operator?.contextLength ?? listed.contextLength,
    outputTokenCountMax: listed.outputTokenCountMax,
    inputModalities: listed.inputModalities ?? (kind === 'transcription' ? ['audio'] : ['text']),
    outputModalities: listed.outputModalities ?? [
      kind === 'image' ? 'image' : kind === 'speech' ? 'audio' : 'text',
    ],
    prices: applyMarkup(prices, source.priceMarkup),
    upstreamIds: [source.upstreamId],
  }
}

function withUpstream(model: Model, upstreamId: string): Model {
  return { ...model, upstreamIds: [...model.upstreamIds, upstreamId] }
}

function unlisted(operatorModels: ReadonlyMap<string, OperatorModel>): UpstreamModel[] {
  return [...operatorModels.keys()].map(id => ({
    id,
    name: id,
    description: '',
    createdAtSeconds: 0,
    contextLength: null,
    outputTokenCountMax: null,
    inputModalities: null,
    outputModalities: null,
    pricing: null,
  }))
}
