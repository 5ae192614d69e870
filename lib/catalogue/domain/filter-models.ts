import { oncePer } from '@/lib/http/domain/once-per'
import { compare, type Decimal, isZero } from '@/lib/money/decimal'
import { averageMessageCost } from './average-message-cost'
import type { Model, ModelKind } from './model'
import { costsNothing } from './usable-prices'

export const MODEL_ORDERS = [
  'newest',
  'pricing-low-to-high',
  'pricing-high-to-low',
  'context-high-to-low',
  'context-low-to-high',
] as const

/** Criteria for choosing models; undefined ones do not restrict. */
export interface ModelFilter {
  kinds: ReadonlySet<ModelKind>
  /** All of them have to occur in the name or the id. */
  words?: readonly string[]
  /** All of them have to be supported. */
  supportedParameters?: readonly string[]
  inputModalities?: readonly string[]
  /** At least one of them. */
  outputModalities?: readonly string[]
  /** The highest price per token read; a model that is not paid by the token passes only if it is free. */
  promptPriceMax?: Decimal
  order?: (typeof MODEL_ORDERS)[number]
}

export function filterModels(models: readonly Model[], filter: ModelFilter): readonly Model[] {
  const { words, supportedParameters, inputModalities, outputModalities, promptPriceMax } = filter
  const found = models.filter(model => {
    const name = `${model.id} ${model.name}`.toLowerCase()
    return (
      filter.kinds.has(model.kind) &&
      (words ?? []).every(word => name.includes(word.toLowerCase())) &&
      (supportedParameters ?? []).every(each => model.supportedParameters.includes(each)) &&
      (inputModalities ?? []).every(each => model.inputModalities.includes(each)) &&
      (outputModalities?.some(each => model.outputModalities.includes(each)) ?? true) &&
      (promptPriceMax === undefined || isNoDearer(model, promptPriceMax))
    )
  })
  return filter.order ? inOrder(found, filter.order) : found
}

function isNoDearer({ prices }: Model, promptPriceMax: Decimal): boolean {
  return costsNothing(prices) || (!isZero(prices.prompt) && compare(prices.prompt, promptPriceMax) <= 0)
}

/** Models that cannot be ranked go last in either direction. */
function inOrder(models: readonly Model[], order: NonNullable<ModelFilter['order']>): readonly Model[] {
  const rank = RANKS[order]
  const ranked = models.map(model => ({ model, rank: rank(model) }))
  return ranked
    .sort((left, right) => {
      if (left.rank === null || right.rank === null)
        return Number(left.rank === null) - Number(right.rank === null)
      return left.rank - right.rank
    })
    .map(({ model }) => model)
}

/** Computing it for six hundred models takes thirty milliseconds. */
const costOfMessage = oncePer((model: Model): number | null => {
  const { prices } = model
  const isByToken = !isZero(prices.prompt) || !isZero(prices.completion) || costsNothing(prices)
  return isByToken ? Number(averageMessageCost(model)) : null
})

const RANKS: Readonly<Record<NonNullable<ModelFilter['order']>, (model: Model) => number | null>> = {
  newest: ({ createdAtSeconds }) => (createdAtSeconds === 0 ? null : -createdAtSeconds),
  'pricing-low-to-high': costOfMessage,
  'pricing-high-to-low': model => negative(costOfMessage(model)),
  'context-high-to-low': ({ contextLength }) => negative(contextLength),
  'context-low-to-high': ({ contextLength }) => contextLength,
}

function negative(rank: number | null): number | null {
  return rank === null ? null : -rank
}
