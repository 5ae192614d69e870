import { affordableOutputTokens } from '@/lib/catalogue/domain/affordable-output-tokens'
import { applyMarkup } from '@/lib/catalogue/domain/apply-markup'
import { cost } from '@/lib/catalogue/domain/cost'
import { UNASKED_ANSWER_TOKEN_COUNT } from '@/lib/catalogue/domain/everyday'
import { asFetchedFor, type PromptMeasure } from '@/lib/catalogue/domain/measure-prompt'
import type { Model, Prices, TokenUsage } from '@/lib/catalogue/domain/model'
import { reasonsByName } from '@/lib/catalogue/domain/model-kind'
import {
  promptTokenCountMax,
  tokensPerDrawnPicture,
  tokensPerImageMax,
  tokensReadUnasked,
} from '@/lib/catalogue/domain/prompt-tokens'
import { type RequestBound, upperBound } from '@/lib/catalogue/domain/upper-bound'
import { costsNothing } from '@/lib/catalogue/domain/usable-prices'
import type { UsageDetail } from '@/lib/ledger/domain/usage'
import { type Decimal, toNumber } from '@/lib/money/decimal'
import { maxNano, type Nano } from '@/lib/money/nano'
import { type ChatRequest, type SearchPlan, searchOf } from './contract'
import { listedPrice, priceLimitOf } from './price-limits'

/** The useful floor: an answer capped below a sentence is worse than the refusal that names a top-up. */
const USEFUL_OUTPUT_TOKEN_COUNT = 32
/** What a search result brings into the prompt, at its longest: about as much as a host would choose by itself. */
export const TOKENS_PER_SEARCH_RESULT = 2_500
/**
 * Hosts that a payer chooses may be dearer than the listed one. The bound, and the price that OpenRouter is
 * told not to exceed, are this many times the listed price.
 */
const CHOSEN_HOST_PRICE_FACTOR = 3

/** What a chat request can cost, whichever of its models answers. */
export interface ChatPlan {
  models: readonly [Model, ...Model[]]
  /** Prices by which each model is held for; beyond the listed ones where the payer chooses the host. */
  priceFactor: number
  search: SearchPlan | null
  /** What a model brings itself to read, with one search more than asked for; 0 where none does. */
  unaskedTokenCount: number
  choiceCount: number
  /** Per choice, as asked for. */
  outputTokenCountMax: number
  promptTokenCountMax: number
  mayCacheLong: boolean
  /** Asked for, where it has a price of its own. */
  serviceTier: 'flex' | null
  imageCount: number
  audioTokenCountMax: number
  hasHiddenSound: boolean
  /** What the answer can consist of; undefined is whatever the model makes. */
  outputModalities: readonly string[] | undefined
  /** Over all choices: a picture in each, where the answer may have any. */
  drawnTokenCountMax: number
  boundNano: Nano
  minimumNano: Nano
  isFree: boolean
  /** A model thinks before it answers: because it was asked to, or because it always does. */
  thinks: boolean
  /** A model may think, asked or not. */
  mayThink: boolean
  /** How many tokens these come to, the upstream alone can tell; of pictures and sound there is a fair guess. */
  hasFiles: boolean
  /** Files, pictures or sound. */
  hasMedia: boolean
}

/** What is asked of an upstream for what is held. */
export interface ChatTerms {
  /** Per choice. */
  outputTokenCountMax: number
  search: SearchPlan | null
}

/** @param models the model and the fallbacks that the request names; whichever answers, the bound holds */
export function planChat(
  request: ChatRequest,
  models: readonly [Model, ...Model[]],
  input: { measure: PromptMeasure; audioTokenCountMax: number; routes: boolean; readsModalities: boolean },
): ChatPlan {
  const measure = asFetchedFor(models, input.measure)
  const contextLength = widest(models.map(model => model.contextLength))
  const imageTokenCountMax = Math.max(...models.map(({ id }) => tokensPerImageMax(id)))
  // Of a host that may not read what is wanted, a model that draws may draw all the same.
  const wanted = input.readsModalities ? (request.modalities ?? undefined) : undefined
  const outputModalities = models.some(makesMore) ? wanted : (request.modalities ?? ['text'])
  const painters = models.filter(model => makesMore(model) && outputModalities?.includes('image') !== false)
  const choiceCount = request.n ?? 1
  const thinks = asksToThink(request) || models.some(({ id }) => reasonsByName(id))
  const shape = {
    models,
    priceFactor: input.routes && choosesHost(request) ? chosenHostFactor(request, models) : 1,
    search: searchOf(request),
    unaskedTokenCount: Math.max(...models.map(({ id }) => tokensReadUnasked(id))),
    choiceCount,
    outputTokenCountMax: Math.max(...models.map(model => outputLimit(request, model))),
    promptTokenCountMax: promptTokenCountMax(measure, contextLength, imageTokenCountMax),
    mayCacheLong: measure.mayCacheLong,
    serviceTier: request.service_tier === 'flex' ? ('flex' as const) : null,
    imageCount: measure.imageCount,
    audioTokenCountMax: input.audioTokenCountMax,
    hasHiddenSound: measure.hasHiddenSound,
    outputModalities,
    drawnTokenCountMax: choiceCount * Math.max(0, ...painters.map(({ id }) => tokensPerDrawnPicture(id))),
    isFree: models.every(({ prices }) => costsNothing(prices)),
    thinks,
    mayThink: thinks || models.some(({ canReason }) => canReason),
    hasFiles: measure.isUnbounded,
    hasMedia: measure.isUnbounded || measure.imageCount + measure.audioParts.length > 0,
  }
  return {
    ...shape,
    boundNano: boundOf(shape, { outputTokenCountMax: shape.outputTokenCountMax, search: shape.search }),
    minimumNano: minimumOf(shape),
  }
}

type Shape = Omit<ChatPlan, 'boundNano' | 'minimumNano'>

/** The least that buys a useful answer, by the prompt's bound or, where given, its estimate. */
export function minimumOf(plan: Shape): Nano {
  const outputTokenCountMax = Math.min(plan.outputTokenCountMax, USEFUL_OUTPUT_TOKEN_COUNT)
  return boundOf(plan, { outputTokenCountMax, search: plan.search && { searchCount: 1, resultCount: 1 } })
}

/** How long each choice may become, and how often it may search, for what is held; never more than asked for. */
export function termsFor(plan: Shape & { boundNano: Nano }, heldNano: Nano): ChatTerms {
  const asked = { outputTokenCountMax: plan.outputTokenCountMax, search: plan.search }
  if (heldNano >= plan.boundNano) return asked
  for (const search of lessAndLess(plan.search)) {
    const perChoice = Math.floor(affordable(plan, search, heldNano) / (plan.choiceCount * stepsOf(search)))
    const outputTokenCountMax = Math.min(plan.outputTokenCountMax, perChoice)
    const isLast = search === null || (search.searchCount === 1 && search.resultCount === 1)
    if (outputTokenCountMax >= USEFUL_OUTPUT_TOKEN_COUNT || isLast) {
      return { outputTokenCountMax: Math.max(1, outputTokenCountMax), search }
    }
  }
  return { outputTokenCountMax: 1, search: null }
}

/** Fewer searches first, then fewer results of each. */
function* lessAndLess(search: SearchPlan | null): Generator<SearchPlan | null> {
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

/** Over all choices and steps: what was asked for, or the pictures that a host draws whole all the same. */
export function outputTokenCountMaxOf(
  plan: Pick<Shape, 'choiceCount' | 'drawnTokenCountMax'>,
  { outputTokenCountMax, search }: ChatTerms,
): number {
  return Math.max(outputTokenCountMax * plan.choiceCount * stepsOf(search), plan.drawnTokenCountMax)
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
    imageCount: plan.imageCount * stepsOf(search),
    audioInputTokenCountMax: plan.audioTokenCountMax * stepsOf(search),
    webSearchCountMax: searchUnits(plan, search),
    outputModalities: plan.outputModalities,
    mayCacheLong: plan.mayCacheLong,
    serviceTier: plan.serviceTier,
  }
}

/** The model reads everything anew after each search, with all that was found so far. */
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

/** A search is followed by one more step of the model; without any there is one. */
export function stepsOf(search: SearchPlan | null): number {
  return search === null ? 1 : search.searchCount + 1
}

/** Engines bill by the search or by the result: each result is held for as if it were a search. */
export function searchUnits(plan: Pick<Shape, 'unaskedTokenCount'>, search: SearchPlan | null): number {
  const askedCount = search === null ? 0 : search.searchCount * search.resultCount
  return askedCount + (plan.unaskedTokenCount > 0 ? 1 : 0)
}

/** As the upstream tells it; null where it does not. */
export interface AnsweredBy {
  model: string | null
  serviceTier: string | null
}

/**
 * What counts cost by the model that answered; the dearest of the request's where its name is none of them.
 */
export function costOfAnswer(
  plan: ChatPlan,
  { model, serviceTier }: AnsweredBy,
  usage: TokenUsage,
  at: Date,
): Nano {
  const named = plan.models.filter(({ id }) => id === model)
  const candidates = named.length > 0 ? named : plan.models
  // One that nobody asked for is none of the payer's.
  const tier = serviceTier === plan.serviceTier ? serviceTier : null
  return candidates.map(({ prices }) => cost({ prices, usage, at, serviceTier: tier })).reduce(maxNano, 0n)
}

/** What a charge was reckoned by, where that is not the first model at its usual tier. */
export function otherPrices(
  { models, serviceTier: askedTier }: ChatPlan,
  { model, serviceTier }: AnsweredBy,
): UsageDetail['pricedAs'] {
  const isFirst = model === models[0].id || models.length === 1
  const tier = serviceTier === askedTier ? serviceTier : null
  if (isFirst && tier === null) return undefined
  return { isOtherModel: !isFirst, serviceTier: tier }
}

/** Pictures among the words, without being asked for. */
function makesMore({ outputModalities }: Model): boolean {
  return outputModalities.some(modality => modality !== 'text' && modality !== 'audio')
}

function choosesHost({ provider }: ChatRequest): boolean {
  if (!provider) return false
  const { allow_fallbacks: _fallbacks, ignore: _ignored, max_price: _maxPrice, ...choices } = provider
  return Object.values(choices).some(choice => choice != null)
}

const FACTOR_SCALE = 3

/** Less where the payer wants to pay less: the upstream is told, and keeps to it. */
function chosenHostFactor(request: ChatRequest, models: readonly Model[]): number {
  const factors = (['prompt', 'completion'] as const).map(name => {
    const limit = priceLimitOf(request, name)
    const listed = Math.max(...models.map(model => toNumber(listedPrice(model.prices, name))))
    return limit && listed > 0 ? toNumber(limit) / listed : CHOSEN_HOST_PRICE_FACTOR
  })
  const factor = Math.min(CHOSEN_HOST_PRICE_FACTOR, Math.max(1, ...factors))
  return Math.ceil(factor * 10 ** FACTOR_SCALE) / 10 ** FACTOR_SCALE
}

/** What a chosen host may cost beyond the listed price, as a part of it. */
function excessOf({ priceFactor }: Shape): Decimal {
  return { coefficient: BigInt(Math.round((priceFactor - 1) * 10 ** FACTOR_SCALE)), scale: FACTOR_SCALE }
}

const NO_EFFORTS: ReadonlySet<string> = new Set(['none', 'minimal'])

/** Any field that asks for it: where they contradict each other, each host has its own idea of which one counts. */
function asksToThink({ reasoning, reasoning_effort: effort }: ChatRequest): boolean {
  const efforts = [effort, reasoning?.effort].filter(named => named != null)
  if (efforts.some(named => !NO_EFFORTS.has(named)) || (reasoning?.max_tokens ?? 0) > 0) return true
  if (reasoning?.enabled === true) return true
  return reasoning != null && efforts.length === 0 && reasoning.enabled !== false
}

/** Some hosts count what a model thinks apart from what it writes. */
function outputLimit(request: ChatRequest, model: Model): number {
  const named = [request.max_tokens, request.max_completion_tokens].filter(count => typeof count === 'number')
  const asked = named.length > 0 ? Math.min(...named) : UNASKED_ANSWER_TOKEN_COUNT
  return Math.min(asked, model.outputTokenCountMax ?? asked) + (request.reasoning?.max_tokens ?? 0)
}

/** Null as soon as one of them is unknown. */
function widest(lengths: readonly (number | null)[]): number | null {
  return lengths.reduce(
    (left, right) => (left === null || right === null ? null : Math.max(left, right)),
    lengths[0] ?? null,
  )
}
