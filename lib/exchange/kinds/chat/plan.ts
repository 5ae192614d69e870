import { applyMarkup } from '@/lib/catalogue/domain/apply-markup'
import { type PromptMeasure, withFetchedFiles } from '@/lib/catalogue/domain/measure-prompt'
import type { Model, Prices } from '@/lib/catalogue/domain/model'
import { reasonsByName } from '@/lib/catalogue/domain/model-kind'
import {
  promptTokenCountMax,
  searchTokenCount,
  tokensPerDrawnPicture,
  tokensPerImageMax,
} from '@/lib/catalogue/domain/prompt-tokens'
import { affordableOutputTokens, type RequestBound, upperBound } from '@/lib/catalogue/domain/upper-bound'
import { costsNothing } from '@/lib/catalogue/domain/usable-prices'
import { type Decimal, toNumber } from '@/lib/money/decimal'
import { divideUp, maxNano, type Nano } from '@/lib/money/nano'
import type { UpstreamDialect } from '@/lib/upstream/upstream-dialect'
import { type ChatRequest, type SearchPlan, searchOf } from './contract'
import { outputLimit } from './output-limits'
import { listedPrice, priceLimitOf } from './price-limits'

/** The useful minimum: an answer cut before its first sentence is worse than a refusal that suggests a top-up. */
const USEFUL_OUTPUT_TOKEN_COUNT = 32
/** The most that a search result adds to the prompt: about as much as hosts choose by default. */
export const TOKENS_PER_SEARCH_RESULT = 2_500
/**
 * A host that the payer chooses may be dearer than the listed price. Both the bound and the price limit that is sent
 * to OpenRouter are this many times the listed price.
 */
const CHOSEN_HOST_PRICE_FACTOR = 3

/** What a chat can cost, whichever of its models answers. */
export interface ChatPlan {
  models: readonly [Model, ...Model[]]
  /** The payer's choice of hosts, and limits of their prices. */
  provider: ChatRequest['provider']
  /** The hold is calculated with this many times the listed prices: more than 1 if the payer chooses the host. */
  priceFactor: number
  search: SearchPlan | null
  /** Tokens that a model adds to its own prompt by an extra search; 0 if none of the models does. */
  unaskedTokenCount: number
  choiceCount: number
  /** Per choice, as requested, with the reasoning budget on top. */
  outputTokenCountMax: number
  /** The reasoning budget, as requested, or as a host has it that does not count thought towards its output limit. */
  thoughtTokenCountMax: number
  promptTokenCountMax: number
  /** Something of the prompt may be written to a cache, which has a price of its own. */
  mayCache: boolean
  mayCacheLong: boolean
  /** The requested tier, if it has a price of its own. */
  serviceTier: 'flex' | null
  imageCount: number
  audioTokenCountMax: number
  hasHiddenSound: boolean
  /** What the answer can consist of; undefined for everything that the model makes. */
  outputModalities: readonly string[] | undefined
  /** For all choices: the picture in each that may go beyond its limit, if the answer may hold pictures. */
  drawnTokenCountMax: number
  boundNano: Nano
  minimumNano: Nano
  isFree: boolean
  /** A model reasons before it answers: because it is asked to, or because it always does. */
  thinks: boolean
  /** A model may reason, whether it is asked to or not. */
  mayThink: boolean
  /** Only the upstream knows the token count of files; for pictures and sound there is a fair estimate. */
  hasFiles: boolean
  /** Files, pictures, sound, references, or pictures in the answer: what they cost is told only at its end. */
  hasUntold: boolean
}

/** The limits that a call is sent with, so that it cannot cost more than its hold. */
export interface ChatTerms {
  /** Per choice. */
  outputTokenCountMax: number
  search: SearchPlan | null
}

/**
 * @param models the requested model and its fallbacks; the bound holds whichever of them answers
 * @param input.dialects of all hosts that may be asked
 */
export function planChat(
  request: ChatRequest,
  models: readonly [Model, ...Model[]],
  input: { measure: PromptMeasure; audioTokenCountMax: number; dialects: readonly UpstreamDialect[] },
): ChatPlan {
  const { audioTokenCountMax, dialects } = input
  const routes = dialects.some(dialect => dialect.routes)
  const measure = withFetchedFiles(models, input.measure, { routes })
  const contextLength = widest(models.map(model => model.contextLengthMax))
  const imageTokenCountMax = Math.max(...models.map(({ id }) => tokensPerImageMax(id)))
  // OpenRouter documents `modalities`; another host may ignore it, and let the model draw all the same.
  const wanted = dialects.every(dialect => dialect.routes) ? (request.modalities ?? undefined) : undefined
  const outputModalities = models.some(mayDraw) ? wanted : (request.modalities ?? ['text'])
  const painters = models.filter(model => mayDraw(model) && outputModalities?.includes('image') !== false)
  const choiceCount = request.n ?? 1
  const thinks = asksToThink(request) || models.some(({ id }) => reasonsByName(id))
  const mayThink = thinks || models.some(({ canReason }) => canReason)
  const budgets = dialects.map(({ thinkingBudgetUsual }) => (mayThink && thinkingBudgetUsual) || 0)
  const thoughtTokenCountMax = request.reasoning?.max_tokens ?? Math.max(0, ...budgets)
  const shape = {
    models,
    provider: request.provider,
    priceFactor: routes && choosesHost(request) ? chosenHostFactor(request, models) : 1,
    search: searchOf(request),
    unaskedTokenCount: Math.max(...models.map(({ id }) => searchTokenCount(id))),
    choiceCount,
    outputTokenCountMax: Math.max(...models.map(model => outputLimit(request, model))) + thoughtTokenCountMax,
    thoughtTokenCountMax,
    promptTokenCountMax: promptTokenCountMax(measure, contextLength, imageTokenCountMax),
    mayCache: measure.mayCache && models.some(({ prices }) => prices.inputCacheWrite !== null),
    mayCacheLong: measure.mayCacheLong,
    serviceTier: request.service_tier === 'flex' ? ('flex' as const) : null,
    imageCount: measure.imageCount,
    audioTokenCountMax,
    hasHiddenSound: measure.hasHiddenSound,
    outputModalities,
    drawnTokenCountMax: choiceCount * Math.max(0, ...painters.map(({ id }) => tokensPerDrawnPicture(id))),
    isFree: models.every(({ prices }) => costsNothing(prices)),
    thinks,
    mayThink,
    hasFiles: measure.isUnbounded,
    hasUntold:
      measure.isUnbounded ||
      measure.hasManyReferences ||
      measure.imageCount + measure.audioParts.length + painters.length > 0,
  }
  return {
    ...shape,
    boundNano: boundOf(shape, { outputTokenCountMax: shape.outputTokenCountMax, search: shape.search }),
    minimumNano: minimumOf(shape),
  }
}

type Shape = Omit<ChatPlan, 'boundNano' | 'minimumNano'>

/** The least that buys a useful answer. */
export function minimumOf(plan: Shape): Nano {
  const outputTokenCountMax = Math.min(plan.outputTokenCountMax, USEFUL_OUTPUT_TOKEN_COUNT)
  return boundOf(plan, { outputTokenCountMax, search: plan.search && { searchCount: 1, resultCount: 1 } })
}

/** How long each choice may become and how often it may search for what is held; never more than requested. */
export function termsFor(plan: Shape & { boundNano: Nano }, heldNano: Nano): ChatTerms {
  const asked = { outputTokenCountMax: plan.outputTokenCountMax, search: plan.search }
  if (heldNano >= plan.boundNano) return asked
  for (const search of smallerSearches(plan.search)) {
    const written = affordable(plan, search, heldNano) - plan.drawnTokenCountMax
    const perChoice = Math.floor(written / (plan.choiceCount * stepsOf(search)))
    const outputTokenCountMax = Math.min(plan.outputTokenCountMax, perChoice)
    const isLast = search === null || (search.searchCount === 1 && search.resultCount === 1)
    if (outputTokenCountMax >= USEFUL_OUTPUT_TOKEN_COUNT || isLast) {
      return { outputTokenCountMax: Math.max(1, outputTokenCountMax), search }
    }
  }
  return { outputTokenCountMax: 1, search: null }
}

/** Fewer searches first, then fewer results of each. */
function* smallerSearches(search: SearchPlan | null): Generator<SearchPlan | null> {
  if (search === null) return yield null
  const { searchCount, resultCount } = search
  for (let count = searchCount; count > 1; count -= 1) yield { searchCount: count, resultCount }
  for (let count = resultCount; count > 0; count -= 1) yield { searchCount: 1, resultCount: count }
}

function affordable(plan: Shape, search: SearchPlan | null, availableNano: Nano): number {
  const counts = plan.models.map(({ prices }) =>
    affordableOutputTokens({ ...requestBound(plan, prices, search), availableNano }),
  )
  return Math.min(...counts)
}

/** The most that a call on these terms costs. */
export function boundOf(plan: Shape, terms: ChatTerms): Nano {
  const outputTokenCountMax = outputTokenCountMaxOf(plan, terms)
  return plan.models
    .map(({ prices }) => upperBound({ ...requestBound(plan, prices, terms.search), outputTokenCountMax }))
    .reduce(maxNano, 0n)
}

/**
 * For all choices and steps. Pictures count towards the limit, and an answer may hold as many as fit into it; but one
 * that was begun within the limit may be drawn whole.
 * https://docs.cloud.google.com/vertex-ai/generative-ai/docs/multimodal/image-understanding ("limited to 32,768 output
 * tokens", where other models have a number of pictures)
 */
export function outputTokenCountMaxOf(
  plan: Pick<Shape, 'choiceCount' | 'drawnTokenCountMax'>,
  { outputTokenCountMax, search }: ChatTerms,
): number {
  return outputTokenCountMax * plan.choiceCount * stepsOf(search) + plan.drawnTokenCountMax
}

function requestBound(
  plan: Shape,
  prices: Prices,
  search: SearchPlan | null,
): Omit<RequestBound, 'outputTokenCountMax'> {
  return {
    prices: plan.priceFactor === 1 ? prices : applyMarkup(prices, excessOf(plan)),
    promptTokenCountMax: inputTokenCountMax(plan, plan.promptTokenCountMax, search),
    hasHiddenSound: plan.hasHiddenSound,
    hasHiddenPictures: plan.hasFiles,
    imageCount: plan.imageCount * stepsOf(search),
    audioInputTokenCountMax: plan.audioTokenCountMax * stepsOf(search),
    webSearchCountMax: searchUnits(plan, search),
    outputModalities: plan.outputModalities,
    mayCacheLong: plan.mayCacheLong,
    serviceTier: plan.serviceTier,
  }
}

/** After each search the model reads everything again, together with all results so far. */
export function inputTokenCountMax(
  plan: Pick<Shape, 'unaskedTokenCount'>,
  askedTokenCount: number,
  search: SearchPlan | null,
): number {
  const promptTokenCount = askedTokenCount + plan.unaskedTokenCount
  if (search === null) return promptTokenCount
  const { searchCount, resultCount } = search
  const foundOverAllSteps = ((searchCount * (searchCount + 1)) / 2) * resultCount * TOKENS_PER_SEARCH_RESULT
  return stepsOf(search) * promptTokenCount + foundOverAllSteps
}

/** Each search is followed by another step of the model; without a search there is one step. */
export function stepsOf(search: SearchPlan | null): number {
  return search === null ? 1 : search.searchCount + 1
}

/** Engines bill per search or per result, so each result is held for as if it were a search. */
export function searchUnits(plan: Pick<Shape, 'unaskedTokenCount'>, search: SearchPlan | null): number {
  const askedCount = search === null ? 0 : search.searchCount * search.resultCount
  return askedCount + (plan.unaskedTokenCount > 0 ? 1 : 0)
}

/** As few searches as can have found these pages: what is owed of them where nobody reports them. */
export function searchesFor(plan: ChatPlan, search: SearchPlan | null, pageCount: number): number {
  const askedCount =
    search === null ? 0 : Math.min(search.searchCount, Math.ceil(pageCount / search.resultCount))
  return askedCount + (plan.unaskedTokenCount > 0 ? 1 : 0)
}

/** Whether the model may put pictures into its answer without being asked to. */
function mayDraw({ outputModalities }: Model): boolean {
  return outputModalities.some(modality => modality !== 'text' && modality !== 'audio')
}

function choosesHost({ provider }: ChatRequest): boolean {
  if (!provider) return false
  const { allow_fallbacks: _fallbacks, ignore: _ignored, max_price: _maxPrice, ...choices } = provider
  return Object.values(choices).some(choice => choice != null)
}

const FACTOR_SCALE = 3

/** Lower if the payer's own price limit is, which the upstream is sent and obeys. */
function chosenHostFactor(request: ChatRequest, models: readonly Model[]): number {
  const factors = (['prompt', 'completion'] as const).map(name => {
    const limit = priceLimitOf(request, name)
    const listed = Math.max(...models.map(model => toNumber(listedPrice(model.prices, name))))
    return limit && listed > 0 ? toNumber(limit) / listed : CHOSEN_HOST_PRICE_FACTOR
  })
  const factor = Math.min(CHOSEN_HOST_PRICE_FACTOR, Math.max(1, ...factors))
  return Math.ceil(factor * 10 ** FACTOR_SCALE) / 10 ** FACTOR_SCALE
}

/** By which part a chosen host may cost more than the listed price. */
function excessOf({ priceFactor }: Shape): Decimal {
  return { coefficient: BigInt(Math.round((priceFactor - 1) * 10 ** FACTOR_SCALE)), scale: FACTOR_SCALE }
}

/** The most that the host may bill for what costs this much at the listed prices. */
export function billableNano({ priceFactor }: Pick<ChatPlan, 'priceFactor'>, costNano: Nano): Nano {
  const scale = 10 ** FACTOR_SCALE
  return divideUp(costNano * BigInt(Math.round(priceFactor * scale)), BigInt(scale))
}

const NO_EFFORTS: ReadonlySet<string> = new Set(['none', 'minimal'])

/** Whether any field asks for it: if they contradict each other, hosts differ in which one they obey. */
function asksToThink({ reasoning, reasoning_effort: effort }: ChatRequest): boolean {
  const efforts = [effort, reasoning?.effort].filter(named => named != null)
  if (efforts.some(named => !NO_EFFORTS.has(named)) || (reasoning?.max_tokens ?? 0) > 0) return true
  if (reasoning?.enabled === true) return true
  return reasoning != null && efforts.length === 0 && reasoning.enabled !== false
}

/** Null if any of them is unknown. */
function widest(lengths: readonly (number | null)[]): number | null {
  return lengths.reduce(
    (left, right) => (left === null || right === null ? null : Math.max(left, right)),
    lengths[0] ?? null,
  )
}
