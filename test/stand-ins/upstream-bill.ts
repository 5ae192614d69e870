import {
  add,
  compare,
  type Decimal,
  decimalFromInteger,
  formatDecimal,
  multiply,
  parseDecimal,
  ZERO,
} from '@/lib/money/decimal'
import { ceilToNano, type Nano } from '@/lib/money/nano'
import { countPrompt, countTokens, fieldOfForm, fieldsOf } from './upstream-prompt'
import type { RecordedRequest, RouteName } from './upstream-script'

/** What one request costs its caller at this host, whatever the host reports; amounts as exact texts. */
export interface Bill {
  path: string
  /** The model that answered. */
  model: string
  items: { what: string; count: number; usdEach: string }[]
  usd: string
}

interface Item {
  what: string
  count: number
  usdEach: Decimal
}

/** An answer in progress. What is known of it is counted here; its cost can be computed at any time. */
export interface Generation {
  id: string
  route: RouteName
  request: RecordedRequest
  model: string
  /** As published by `/models`. */
  pricing: Readonly<Record<string, unknown>>
  contextLength: number
  /** For a provider dearer than listed, or a service tier. */
  priceFactor: number
  /** The tier at which it is served, if one was requested. */
  serviceTier: string | null
  choiceCount: number
  cachedTokenCount: number
  outputTokenCount: number
  /** A part of the output. */
  reasoningTokenCount: number
  searchCount: number
  recordingSeconds: number
  /** Failed before any output, or was refused: nothing is billed. */
  isWaived: boolean
}

/** Prices that are in no list of models. */
const WEB_RESULT_USD = usd('0.004')
const WEB_RESULT_COUNT_DEFAULT = 5
const SEARCH_OPTION_USD = usd('0.035')
/**
 * A search by Exa with ten results, and each further result.
 * https://openrouter.ai/docs/guides/features/server-tools/web-search#pricing
 */
const EXA_SEARCH_USD = usd('0.007')
const EXA_RESULT_USD = usd('0.001')
const EXA_RESULT_COUNT_INCLUDED = 10
/** A picture sent along is counted among the prompt's tokens; this is the output of a drawn one. */
const PICTURE_TOKENS: Readonly<Record<string, number>> = { low: 272, medium: 1_056, high: 4_160 }
const LARGE_PICTURE_FACTOR = 1.5
/** For a host without quality or size. */
const PICTURE_TOKENS_ALONE = 4_175

export function billOf(generation: Generation): Bill {
  const { model, request, isWaived } = generation
  const items = isWaived ? [] : itemsOf(generation).filter(({ count }) => count > 0)
  const total = items
    .map(({ count, usdEach }) => multiply(usdEach, decimalFromInteger(count)))
    .reduce(add, ZERO)
  return {
    path: request.path,
    model,
    items: items.map(({ usdEach, ...rest }) => ({ ...rest, usdEach: formatDecimal(usdEach) })),
    usd: formatDecimal(total),
  }
}

/** The bills above zero, and their sum, rounded up once. */
export function billsOf(generations: Iterable<Generation>): { bills: Bill[]; billedNano: Nano } {
  const bills = Array.from(generations, billOf).filter(({ usd: total }) => total !== '0')
  return { bills, billedNano: ceilToNano(bills.map(bill => usd(bill.usd)).reduce(add, ZERO)) }
}

function itemsOf(generation: Generation): Item[] {
  switch (generation.route) {
    case 'chat':
      return chatItems(generation)
    case 'embeddings':
      return [
        item('prompt tokens', promptOf(generation).tokenCount, price(generation, 'prompt')),
        fee(generation),
      ]
    case 'images':
      return imageItems(generation)
    case 'speech':
      return speechItems(generation)
    case 'transcriptions':
      return [...recordingItems(generation), fee(generation)]
    default:
      return []
  }
}

function chatItems(generation: Generation): Item[] {
  const body = fieldsOf(generation.request.body)
  const prompt = promptOf(generation)
  const { choiceCount, cachedTokenCount, reasoningTokenCount } = generation
  const { soundTokenCount, cacheWriteTokenCount } = prompt
  const plain = Math.max(0, prompt.tokenCount - cachedTokenCount - cacheWriteTokenCount - soundTokenCount)
  const plugins = Array.isArray(body.plugins) ? body.plugins.map(fieldsOf) : []
  const webResultCount = plugins
    .filter(({ id }) => id === 'web')
    .reduce(
      (sum, { max_results: count }) => sum + (typeof count === 'number' ? count : WEB_RESULT_COUNT_DEFAULT),
      0,
    )
  return [
    item('prompt tokens', plain, price(generation, 'prompt')),
    item('tokens of sound', soundTokenCount, price(generation, 'audio', 'prompt')),
    item('cached tokens', cachedTokenCount, price(generation, 'input_cache_read', 'prompt')),
    item(
      'tokens written to the cache',
      cacheWriteTokenCount,
      price(generation, prompt.isCachedLong ? 'input_cache_write_1h' : 'input_cache_write', 'prompt'),
    ),
    item('pictures read', prompt.imageCount, price(generation, 'image')),
    item(
      'output tokens',
      (generation.outputTokenCount - reasoningTokenCount) * choiceCount,
      price(generation, 'completion'),
    ),
    item(
      'reasoning tokens',
      reasoningTokenCount * choiceCount,
      price(generation, 'internal_reasoning', 'completion'),
    ),
    item('web searches', generation.searchCount, searchPrice(generation)),
    item('web results', webResultCount, WEB_RESULT_USD),
    item('searches by option', body.web_search_options === undefined ? 0 : 1, SEARCH_OPTION_USD),
    fee(generation),
  ]
}

function imageItems(generation: Generation): Item[] {
  const count = pictureCount(generation.request.body)
  const { image_output: perToken } = generation.pricing
  const drawn =
    perToken === undefined
      ? item('pictures drawn', count, price(generation, 'image'))
      : item(
          'tokens of pictures drawn',
          count * tokensOfPicture(generation.request.body),
          price(generation, 'image_output'),
        )
  return [
    drawn,
    item('prompt tokens', promptOf(generation).tokenCount, price(generation, 'prompt')),
    fee(generation),
  ]
}

/** For one picture, as OpenAI counts; without a quality, the best. */
export function tokensOfPicture(body: unknown): number {
  const { model, size, quality } = fieldsOf(body)
  if (!String(model).includes('gpt-image')) return PICTURE_TOKENS_ALONE
  const tokens = PICTURE_TOKENS[String(quality)] ?? 4_160
  return size === '1024x1024' ? tokens : tokens * LARGE_PICTURE_FACTOR
}

export function pictureCount(body: unknown): number {
  const asked = Number(fieldsOf(body).n ?? 1)
  return Number.isInteger(asked) && asked > 0 ? asked : 1
}

/** By the second, or by the token where the model has no price per second. */
function recordingItems(generation: Generation): Item[] {
  if (generation.pricing.input_second !== undefined) return [heard(generation)]
  const { soundTokenCount, promptTokenCount } = recordingTokens(generation)
  return [
    item('tokens of sound', soundTokenCount, price(generation, 'audio', 'prompt')),
    item('prompt tokens', promptTokenCount, price(generation, 'prompt')),
    item('output tokens', generation.outputTokenCount, price(generation, 'completion')),
  ]
}

/** As OpenAI counts a recording. */
const TOKENS_PER_SECOND_OF_RECORDING = 10

export function recordingTokens({ recordingSeconds, request }: Generation) {
  return {
    soundTokenCount: Math.ceil(recordingSeconds * TOKENS_PER_SECOND_OF_RECORDING),
    promptTokenCount: countTokens(fieldOfForm(request.rawBody, 'prompt')),
  }
}

/** Some hosts bill a shortest recording, like Groq, which bills ten seconds at least. */
function heard(generation: Generation): Item {
  const seconds = item('seconds', Math.ceil(generation.recordingSeconds), price(generation, 'input_second'))
  const least = price(generation, 'recording_min')
  const total = multiply(seconds.usdEach, decimalFromInteger(seconds.count))
  return compare(total, least) < 0 ? item('short recordings', 1, least) : seconds
}

/** The text and its instructions are billed completely once they are accepted. */
function speechItems(generation: Generation): Item[] {
  const { input, text, instructions } = fieldsOf(generation.request.body)
  const read = `${instructions ?? ''}${input ?? text ?? ''}`
  return [
    generation.pricing.input_character === undefined
      ? item('prompt tokens', countTokens(read), price(generation, 'prompt'))
      : item('characters', [...read].length, price(generation, 'input_character')),
    fee(generation),
  ]
}

/** Truncated to the model's context, as done by hosts that do not refuse longer ones. */
export function promptOf({ route, request, contextLength, pricing }: Generation) {
  const { tokenCount, soundTokenCount, imageCount, ...marks } = countPrompt(request.body)
  // Each text to be embedded may have the whole length.
  const counted = route === 'embeddings' ? tokenCount : Math.min(tokenCount, contextLength)
  return {
    tokenCount: counted,
    soundTokenCount: Math.min(soundTokenCount, counted),
    imageCount,
    cacheWriteTokenCount: marks.hasCacheMark && pricing.input_cache_write !== undefined ? counted : 0,
    isCachedLong: marks.hasLongCacheMark && pricing.input_cache_write_1h !== undefined,
  }
}

/** By the range of the prompt's length if the list has any, times the factor of provider and tier. */
function price(generation: Generation, field: string, otherwise?: string): Decimal {
  const { pricing, priceFactor } = generation
  const bands = Array.isArray(pricing.overrides) ? pricing.overrides.map(fieldsOf) : []
  const prompt = bands.length === 0 ? 0 : promptOf(generation).tokenCount
  const band = bands.findLast(({ min_prompt_tokens: from }) => typeof from === 'number' && prompt >= from)
  const listed = { ...pricing, ...band }
  const text = listed[field] ?? (otherwise === undefined ? '0' : listed[otherwise])
  return multiply(usd(String(text)), usd(String(priceFactor)))
}

/** The engine's own price if one is named, whatever the model's host charges. */
function searchPrice(generation: Generation): Decimal {
  const { tools } = fieldsOf(generation.request.body)
  const named = Array.isArray(tools) ? tools.map(fieldsOf) : []
  const search = named.find(({ type }) => type === 'openrouter:web_search')
  const { engine, max_results: asked } = fieldsOf(search?.parameters)
  if (engine !== 'exa') return price(generation, 'web_search')
  const resultCount = typeof asked === 'number' ? asked : WEB_RESULT_COUNT_DEFAULT
  const further = decimalFromInteger(Math.max(0, resultCount - EXA_RESULT_COUNT_INCLUDED))
  return add(EXA_SEARCH_USD, multiply(EXA_RESULT_USD, further))
}

const fee = (generation: Generation) => item('requests', 1, price(generation, 'request'))

function item(what: string, count: number, usdEach: Decimal) {
  // A price of zero is not listed in a bill.
  return { what, count: compare(usdEach, ZERO) > 0 ? count : 0, usdEach }
}

function usd(text: string): Decimal {
  return parseDecimal(text) ?? ZERO
}
