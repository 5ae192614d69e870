import { alwaysSearches } from '@/lib/catalogue/domain/model-kind'
import type { LongPromptPrices, PriceTexts } from '@/lib/exchange/client/estimate-message'
import type { ModelControls } from '@/lib/exchange/client/outgoing'
import { fieldsOf, isObject, listOf, readCount } from '@/lib/http/domain/is-object'
import { add, formatDecimal, isZero, MILLION, multiply, parseDecimal } from '@/lib/money/decimal'

/** A model as the picker shows it. */
export interface ChatModel {
  readonly id: string
  readonly name: string
  readonly takesPictures: boolean
  /** Accepts PDFs unchanged; all other models receive a document's text. */
  readonly takesFiles: boolean
  /** Answers with a picture, and takes only a description. */
  readonly draws: boolean
  /** The size of its context window; null if its host does not say. */
  readonly windowTokens: number | null
  readonly prices: PriceTexts
  readonly controls: ModelControls
  /** The entry as listed, for details that are read on demand, and for storing the model. */
  readonly listed: Readonly<Record<string, unknown>>
}

/**
 * The entries of `GET /v1/models` that can be shown and priced, image models after chat models. All others are left
 * out.
 */
export function parseModelList(body: unknown): readonly ChatModel[] {
  const models = listOf(fieldsOf(body).data).flatMap(entry => parseModel(entry) ?? [])
  return [...models.filter(({ draws }) => !draws), ...models.filter(({ draws }) => draws)]
}

/** Dollars per million tokens; null if the price cannot be parsed. */
export function pricePerMillion(price: string): number | null {
  const decimal = parseDecimal(price)
  if (!decimal) return null
  const { coefficient, scale } = multiply(decimal, MILLION)
  return Number(coefficient) / 10 ** scale
}

export function isFree({ draws, prices }: ChatModel): boolean {
  const perPicture = draws ? prices.image : undefined
  return [prices.prompt, prices.completion, prices.request ?? '0', perPicture ?? '0'].every(price => {
    const decimal = parseDecimal(price)
    return decimal !== null && isZero(decimal)
  })
}

/**
 * The models whose answers can stand beside one that is drawn, or one that is not; all of them if there is none yet.
 * Texts and pictures cannot be compared with each other.
 */
export function comparableWith(
  draws: boolean | undefined,
  models: readonly ChatModel[],
): readonly ChatModel[] {
  return draws === undefined ? models : models.filter(model => model.draws === draws)
}

/** Null if it cannot be shown or priced. */
export function parseModel(entry: unknown): ChatModel | null {
  if (!isObject(entry) || typeof entry.id !== 'string' || !isObject(entry.pricing)) return null
  const { prompt, completion, overrides } = entry.pricing
  if (typeof prompt !== 'string' || typeof completion !== 'string') return null
  const { context_length: window } = entry
  const { input_modalities, output_modalities } = fieldsOf(entry.architecture)
  const takes = listOf(input_modalities)
  const draws = entry.type === 'image'
  return {
    id: entry.id,
    name: typeof entry.name === 'string' && entry.name !== '' ? entry.name : entry.id,
    takesPictures: !draws && takes.includes('image'),
    takesFiles: !draws && takes.includes('file'),
    draws,
    windowTokens: readCount(window) || null,
    prices: {
      prompt,
      completion,
      ...otherPrices(entry.pricing, !draws && listOf(output_modalities).includes('image')),
      ...(alwaysSearches(entry.id) && { request: feeWithSearch(entry.pricing) }),
      overrides: Array.isArray(overrides) ? overrides.flatMap(longPromptPrices) : undefined,
    },
    controls: parseControls(entry),
    listed: entry,
  }
}

function otherPrices(pricing: Record<string, unknown>, drawsToo: boolean) {
  return {
    request: textOrNone(pricing.request),
    image: textOrNone(pricing.image),
    input_cache_read: textOrNone(pricing.input_cache_read),
    input_cache_write: textOrNone(pricing.input_cache_write),
    // Without a price of their own, pictures in an answer cost what its text does.
    image_output: drawsToo ? textOrNone(pricing.image_output ?? pricing.completion) : undefined,
  }
}

/** A search model searches for every answer, and bills that with it. */
function feeWithSearch({ request = '0', web_search: search = '0' }: Record<string, unknown>) {
  const [fee, ofSearch] = [parseDecimal(String(request)), parseDecimal(String(search))]
  return fee && ofSearch ? formatDecimal(add(fee, ofSearch)) : undefined
}

/** Overrides for a time of day, or for a service tier that we do not request, are no prices of long prompts. */
function longPromptPrices(entry: unknown): LongPromptPrices[] {
  if (!isObject(entry) || entry.service_tier !== undefined || entry.utc_start !== undefined) return []
  const { prompt, completion, min_prompt_tokens: above } = entry
  if (typeof above !== 'number') return []
  const other = otherPrices(entry, true)
  return [
    { ...other, prompt: textOrNone(prompt), completion: textOrNone(completion), min_prompt_tokens: above },
  ]
}

/** A host that lists no parameters is one of the simple ones, whose models all accept a temperature. */
function parseControls(entry: Record<string, unknown>): ModelControls {
  const { supported_parameters: parameters, reasoning, top_provider: provider } = entry
  const named = listOf(parameters)
  return {
    temperature: named.length === 0 || named.includes('temperature'),
    outputTokensMax: readCount(fieldsOf(provider).max_completion_tokens) || null,
    efforts: listOf(fieldsOf(reasoning).supported_efforts).filter(effort => typeof effort === 'string'),
  }
}

function textOrNone(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
