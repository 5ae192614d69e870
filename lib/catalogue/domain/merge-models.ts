import type { Decimal } from '@/lib/money/decimal'
import { applyMarkup } from './apply-markup'
import type { Model } from './model'
import { modelKind } from './model-kind'
import type { OperatorModel } from './parse-model-prices'
import { suitsKind } from './suits-kind'
import type { UpstreamModel } from './upstream-model'
import { FREE_PRICES, usablePrices } from './usable-prices'

/** One upstream's list, in the operator's order. */
export interface UpstreamList {
  readonly upstreamId: string
  /** Null: the upstream publishes no list, and is taken to have what the operator prices. */
  readonly models: readonly UpstreamModel[] | null
  /** Runs on this machine and costs nothing (local models of the embedded default). */
  readonly free: boolean
  /** Ids that begin with it are this upstream's alone, those too that only the operator prices. */
  readonly ownPrefix?: string
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
  for (const list of lists) {
    const { upstreamId, free } = list
    for (const listed of listedModels(list, lists, operatorModels)) {
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
  const prices = operator?.prices ?? (source.free ? FREE_PRICES : usablePrices(listed.pricing))
  const kind = operator?.kind ?? modelKind(listed.id, listed.outputModalities)
  if (!prices || !kind || !suitsKind(kind, prices)) return null
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

/** What an upstream lists, and what the operator prices of the rest that it is taken to have. */
function listedModels(
  { models, ownPrefix }: UpstreamList,
  lists: readonly UpstreamList[],
  operatorModels: ReadonlyMap<string, OperatorModel>,
): UpstreamModel[] {
  const priced = [...operatorModels.keys()]
  if (ownPrefix !== undefined) {
    const known = new Set(models?.map(({ id }) => id))
    const own = priced.filter(id => id.startsWith(ownPrefix) && !known.has(id))
    return [...(models ?? []), ...own.map(unlistedModel)]
  }
  const taken = (id: string) =>
    lists.some(list => list.ownPrefix !== undefined && id.startsWith(list.ownPrefix))
  return models === null ? priced.filter(id => !taken(id)).map(unlistedModel) : [...models]
}

function unlistedModel(id: string): UpstreamModel {
  return {
    id,
    name: id,
    description: '',
    createdAtSeconds: 0,
    contextLength: null,
    outputTokenCountMax: null,
    inputModalities: null,
    outputModalities: null,
    pricing: null,
  }
}
