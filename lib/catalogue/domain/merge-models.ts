import { type Decimal, isZero, ZERO } from '@/lib/money/decimal'
import { applyMarkup } from './apply-markup'
import type { Model, ModelKind, Prices } from './model'
import { modelKind, reasonsByName, researchesByName, searchesUnasked } from './model-kind'
import type { OperatorModel } from './parse-model-prices'
import { dearer } from './price-fields'
import { isNeverDearer } from './price-overrides'
import { suitsKind } from './suits-kind'
import { withUntoldPrices } from './untold-prices'
import { type UpstreamModel, unlistedModel } from './upstream-model'
import { FREE_PRICES, usableListedPrices } from './usable-prices'

/** One upstream's list, in the operator's order. */
export interface UpstreamList {
  readonly upstreamId: string
  /** Null: the upstream publishes no list, and is taken to have what the operator prices. */
  readonly models: readonly UpstreamModel[] | null
  /** Runs on this machine and costs nothing (local models of the embedded default). */
  readonly free: boolean
  /** Ids that begin with it are this upstream's alone, those too that only the operator prices. */
  readonly ownPrefix?: string
  /** Of a search by the engine that is named there; models list what their own host takes, which may be less. */
  readonly searchUsdMin?: Decimal
}

/**
 * Every usable model once. The first upstream that has it at a usable price gives name and price, and the
 * price is a promise: when the first refuses, it goes where it is no dearer in anything.
 */
export function mergeModels(input: {
  lists: readonly UpstreamList[]
  operatorModels: ReadonlyMap<string, OperatorModel>
  priceMarkup: Decimal
}): Model[] {
  const { lists, operatorModels, priceMarkup } = input
  const merged = new Map<string, { model: Model; free: boolean }>()
  for (const list of lists) {
    const { upstreamId, free, searchUsdMin = ZERO } = list
    for (const listed of listedModels(list, lists, operatorModels)) {
      const known = merged.get(listed.id)
      const model = usableModel(listed, operatorModels.get(listed.id), {
        upstreamId,
        free,
        priceMarkup,
        searchUsdMin,
      })
      if (!model || (known && (known.free !== free || !mayStandIn(model, known.model)))) continue
      merged.set(listed.id, { model: known ? withUpstream(known.model, model) : model, free })
    }
  }
  return [...merged.values()].map(({ model }) => model)
}

function usableModel(
  listed: UpstreamModel,
  operator: OperatorModel | undefined,
  source: { upstreamId: string; free: boolean; priceMarkup: Decimal; searchUsdMin: Decimal },
): Model | null {
  const kind = operator?.kind ?? modelKind(listed.id, listed.outputModalities)
  const usable =
    operator?.prices ?? (source.free ? FREE_PRICES : listedPrices(listed, kind, source.searchUsdMin))
  if (!usable || !kind || !suitsKind(kind, usable)) return null
  const prices = applyMarkup(withUntoldPrices(listed.id, usable), source.priceMarkup)
  return {
    id: listed.id,
    name: operator?.name ?? listed.name,
    description: listed.description,
    kind,
    createdAtSeconds: listed.createdAtSeconds,
    expiresAtSeconds: listed.expiresAtSeconds,
    contextLength: operator?.contextLength ?? listed.contextLength,
    outputTokenCountMax: listed.outputTokenCountMax,
    inputModalities: listed.inputModalities ?? inputModalities(listed.id, kind),
    outputModalities: listed.outputModalities ?? [OUTPUT_MODALITY[kind]],
    supportedParameters: listed.supportedParameters ?? [],
    canReason: operator?.canReason ?? listed.canReason ?? reasonsByName(listed.id),
    reasoning: listed.reasoning,
    prices,
    upstreamIds: [source.upstreamId],
  }
}

/** None where what the list tells says nothing of what a call costs: the operator may know. */
function listedPrices(
  { id, pricing }: UpstreamModel,
  kind: ModelKind | null,
  searchUsdMin: Decimal,
): Prices | null {
  const prices = usableListedPrices(pricing, kind)
  if (!prices || researchesByName(id)) return null
  const hasFee = [prices.webSearch, prices.request].some(price => price !== null && !isZero(price))
  if (searchesUnasked(id) && !hasFee) return null
  const { webSearch } = prices
  // A zero says that there is none.
  if (webSearch === null || isZero(webSearch)) return prices
  return { ...prices, webSearch: dearer(webSearch, searchUsdMin) }
}

/** OpenAI's painters that draw from pictures, too. */
const TAKES_PICTURES = /gpt-image|dall-e-2/i

/** Of a model whose host does not say what it takes. */
function inputModalities(id: string, kind: ModelKind): readonly string[] {
  if (kind === 'transcription') return ['audio']
  return kind === 'image' && TAKES_PICTURES.test(id) ? ['text', 'image'] : ['text']
}

/** Of a model whose host does not say what it makes. */
const OUTPUT_MODALITY: Readonly<Record<ModelKind, string>> = {
  chat: 'text',
  image: 'image',
  speech: 'audio',
  transcription: 'text',
  embedding: 'embeddings',
}

function mayStandIn(model: Model, known: Model): boolean {
  return model.kind === known.kind && isNeverDearer(model.prices, known.prices)
}

/** It can reason as soon as it can at one of them. */
function withUpstream(known: Model, also: Model): Model {
  return {
    ...known,
    canReason: known.canReason || also.canReason,
    upstreamIds: [...known.upstreamIds, ...also.upstreamIds],
  }
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
