import { type Decimal, isZero, ZERO } from '@/lib/money/decimal'
import { applyMarkup } from './apply-markup'
import type { Model, ModelKind, Prices } from './model'
import { alwaysSearches, modelKind, reasonsByName, researchesByName } from './model-kind'
import { OPENAI_VOICES } from './openai-voices'
import type { OperatorModel } from './parse-model-prices'
import { dearer } from './price-fields'
import { isNeverDearer } from './price-overrides'
import { suitsKind } from './suits-kind'
import { withUnlistedPrices } from './unlisted-prices'
import { type UpstreamModel, unlistedModel } from './upstream-model'
import { FREE_PRICES, usableListedPrices } from './usable-prices'

/** One upstream's list, in the operator's order. */
export interface UpstreamList {
  readonly upstreamId: string
  /** Null if the upstream publishes no list; it is then assumed to have the models that the operator prices. */
  readonly models: readonly UpstreamModel[] | null
  /** Whether it runs on this machine and costs nothing (local models of the embedded default). */
  readonly free: boolean
  /** Ids with this prefix belong to this upstream only, including those that only the operator prices. */
  readonly ownPrefix?: string
  /** The price of a search by the engine that we name; models list the price of their own host, which may be lower. */
  readonly searchUsdMin?: Decimal
}

/**
 * Lists every usable model once. The first upstream that has it at a usable price determines name and price. The price
 * is a promise: if that upstream refuses, only those that are no dearer in anything are asked.
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
  const contextLength = operator?.contextLength ?? listed.contextLength
  const prices = applyMarkup(withUnlistedPrices(listed.id, usable), source.priceMarkup)
  return {
    id: listed.id,
    name: operator?.name ?? listed.name,
    description: listed.description,
    kind,
    createdAtSeconds: listed.createdAtSeconds,
    expiresAtSeconds: listed.expiresAtSeconds,
    contextLength,
    contextLengthMax: contextLength,
    outputTokenCountMax: listed.outputTokenCountMax,
    inputModalities: listed.inputModalities ?? inputModalities(listed.id, kind),
    outputModalities: listed.outputModalities ?? [OUTPUT_MODALITY[kind]],
    supportedParameters: listed.supportedParameters ?? [],
    canReason: operator?.canReason ?? listed.canReason ?? reasonsByName(listed.id),
    reasoning: listed.reasoning,
    prices,
    voices: kind === 'speech' && operator ? (operator.voices ?? OPENAI_VOICES) : null,
    upstreamIds: [source.upstreamId],
  }
}

/** Null if the list does not say what a call costs; the operator may still know. */
function listedPrices(
  { id, pricing }: UpstreamModel,
  kind: ModelKind | null,
  searchUsdMin: Decimal,
): Prices | null {
  const prices = usableListedPrices(pricing, kind)
  if (!prices || researchesByName(id)) return null
  const hasFee = [prices.webSearch, prices.request].some(price => price !== null && !isZero(price))
  if (alwaysSearches(id) && !hasFee) return null
  const { webSearch } = prices
  // Zero means that there is no price.
  if (webSearch === null || isZero(webSearch)) return prices
  return { ...prices, webSearch: dearer(webSearch, searchUsdMin) }
}

/** OpenAI's painters that draw from pictures, too. */
const TAKES_PICTURES = /gpt-image|dall-e-2/i

/** For a model whose host does not list what it accepts. */
function inputModalities(id: string, kind: ModelKind): readonly string[] {
  if (kind === 'transcription') return ['audio']
  return kind === 'image' && TAKES_PICTURES.test(id) ? ['text', 'image'] : ['text']
}

/** For a model whose host does not list what it produces. */
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

/** The model can reason if it can at any of its upstreams, and reads as much as the one that reads most. */
function withUpstream(known: Model, also: Model): Model {
  return {
    ...known,
    contextLengthMax: known.contextLengthMax && Math.max(known.contextLengthMax, also.contextLength ?? 0),
    canReason: known.canReason || also.canReason,
    upstreamIds: [...known.upstreamIds, ...also.upstreamIds],
  }
}

/** The models that an upstream lists, plus those that only the operator prices and it is assumed to have. */
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
