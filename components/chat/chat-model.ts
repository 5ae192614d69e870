import type { PriceTexts } from '@/lib/chat/domain/estimate-message'
import { isZero, multiply, parseDecimal } from '@/lib/money/decimal'

/** A model as the picker shows it. */
export interface ChatModel {
  readonly id: string
  readonly name: string
  readonly takesPictures: boolean
  /** Takes PDFs as they are; every other model gets a document's text. */
  readonly takesFiles: boolean
  readonly prices: PriceTexts
}

const PER_MILLION = { coefficient: 1_000_000n, scale: 0 }

/** Entries of `GET /v1/models` that can be shown and priced; anything else in the list is left out. */
export function parseModelList(body: unknown): readonly ChatModel[] {
  const list = isRecord(body) && Array.isArray(body.data) ? body.data : []
  return list.flatMap((entry: unknown) => parseModel(entry) ?? [])
}

/** Dollars for a million tokens; null when the price is not understood. */
export function pricePerMillion(price: string): number | null {
  const decimal = parseDecimal(price)
  if (!decimal) return null
  const { coefficient, scale } = multiply(decimal, PER_MILLION)
  return Number(coefficient) / 10 ** scale
}

export function isFree({ prices }: ChatModel): boolean {
  return [prices.prompt, prices.completion, prices.request ?? '0'].every(price => {
    const decimal = parseDecimal(price)
    return decimal !== null && isZero(decimal)
  })
}

/** Models whose name or id has every word of the query, in the order they came. */
export function findModels(models: readonly ChatModel[], query: string): readonly ChatModel[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  return models.filter(({ id, name }) => {
    const text = `${name} ${id}`.toLowerCase()
    return words.every(word => text.includes(word))
  })
}

function parseModel(entry: unknown): ChatModel | null {
  if (!isRecord(entry) || typeof entry.id !== 'string' || !isRecord(entry.pricing)) return null
  const { prompt, completion, request } = entry.pricing
  if (typeof prompt !== 'string' || typeof completion !== 'string') return null
  const modalities = isRecord(entry.architecture) ? entry.architecture.input_modalities : null
  return {
    id: entry.id,
    name: typeof entry.name === 'string' && entry.name !== '' ? entry.name : entry.id,
    takesPictures: Array.isArray(modalities) && modalities.includes('image'),
    takesFiles: Array.isArray(modalities) && modalities.includes('file'),
    prices: { prompt, completion, request: typeof request === 'string' ? request : undefined },
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
