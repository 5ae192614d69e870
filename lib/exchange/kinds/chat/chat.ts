import 'server-only'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { longerOf, measurePrompt, type PromptMeasure } from '@/lib/catalogue/domain/measure-prompt'
import type { Catalogue, Model } from '@/lib/catalogue/domain/model'
import { priceSnapshot } from '@/lib/catalogue/domain/price-snapshot'
import {
  estimatePromptTokens,
  probablePromptTokenCountMax,
  quickPromptTokens,
  tokensPerImage,
} from '@/lib/catalogue/domain/prompt-tokens'
import { countTokens } from '@/lib/catalogue/tokenizer/count-tokens'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import { invalidField } from '@/lib/http/api-error'
import { encodeJson } from '@/lib/http/json-scan'
import type { KeyRouting } from '@/lib/ledger/domain/keys'
import { isZero } from '@/lib/money/decimal'
import { minNano, type Nano } from '@/lib/money/nano'
import { UpstreamFailure, upstreamsWith } from '@/lib/upstream/ask-upstreams'
import { upstreamDialect } from '@/lib/upstream/upstream-dialect'
import { type AnswerTimes, WHOLE_ANSWER_MS_MAX } from '../../domain/exchange-limits'
import { hashOfRequest, type Kind, type Quote, type UpstreamCall } from '../../engine/kind'
import { findModel, type KindServices } from '../kind-services'
import { ChatAnswer, type PromptCounts } from './answer'
import type { AnswerForm, NativeQuestion } from './answer-form'
import { losesCacheMarks } from './cache-marks'
import { type ChatRequest, REQUEST_BYTES_MAX, readChatRequest, searchOf } from './contract'
import {
  affordableHosts,
  hostsWithPrivacy,
  noSuchHost,
  requirePrivateFileReading,
  withKeyRouting,
  withKeyTier,
} from './hosts'
import { boundOf, type ChatPlan, minimumOf, planChat, termsFor } from './plan'
import { withinLimits } from './price-limits'
import { soundTokenCountMax } from './sound'
import { ROUTING_FIELDS, upstreamBody } from './upstream-body'

/** Reasoning models may think for a minute or two before their first byte; an answer in one piece, for ten. */
const STREAM_TIMES: AnswerTimes = {
  firstByteTimeoutMs: 120_000,
  betweenBytesTimeoutMs: 60_000,
  bodyTimeoutMs: WHOLE_ANSWER_MS_MAX,
}
const WHOLE_TIMES: AnswerTimes = { ...STREAM_TIMES, firstByteTimeoutMs: WHOLE_ANSWER_MS_MAX }

/** `POST /v1/chat/completions`, streamed and not. */
export function chatKind(services: KindServices): Kind {
  return {
    queryType: 'chat',
    body: { bytesMax: REQUEST_BYTES_MAX, content: 'json' },
    supportsKeyRouting: true,
    async quote({ body, json, keyRouting }) {
      const asked = readChatRequest(await json())
      const requestHash = hashOfRequest(body)
      const asIs = { answerForm: null, isTranslated: false, native: null }
      return quoteChat(services, { ...asked, ...asIs, requestHash, keyRouting })
    },
  }
}

/** Prices a chat, whichever dialect it came in. @throws ApiError */
export async function quoteChat(
  services: KindServices,
  asked: Pick<
    Asked,
    'request' | 'requestHash' | 'ignoredFields' | 'answerForm' | 'isTranslated' | 'native'
  > & {
    keyRouting: KeyRouting | null
  },
): Promise<Quote> {
  const { ignoredFields } = asked
  const asNamed = withKeyRouting(asked.request, asked.keyRouting)
  const models = await findModels(services.catalogue, asNamed)
  const wanted = withCatalogueIds(asNamed, models)
  const request = withKeyTier(wanted, asked.keyRouting, models)
  const candidates = upstreamsWith(models[0], services.upstreams)
  const eligibleHosts = hostsWithPrivacy(request, candidates)
  const dialects = eligibleHosts.map(({ baseUrl }) => upstreamDialect(baseUrl))
  const routes = dialects.some(dialect => dialect.routes)
  const routerOnly = routes ? [] : ROUTING_FIELDS.filter(field => isLeftOut(request, field))
  const native = candidates.some(upstream => supportsNative(upstream, asked.native)) ? asked.native : null
  const nativeOnly = native ? [] : (asked.native?.headerFields ?? [])
  const loses = !routes && !native && losesCacheMarks(request, asked.isTranslated ? null : models)
  const cacheMarks = loses ? ['cache_control'] : []
  const measure = await measureOf(request, native)
  const sound = await soundTokenCountMax(request, models)
  const plan = planChat(request, models, { measure, audioTokenCountMax: sound, dialects })
  requirePrices(request, plan, routes)
  requirePrivateFileReading(request, models)
  const upstreams = affordableHosts(request, eligibleHosts, plan)
  const imageTokenCount = Math.max(...models.map(({ id }) => tokensPerImage(id)))
  return pricedQuote(services, {
    ...asked,
    native,
    request,
    plan,
    ...keepTextsOnly(measure, imageTokenCount),
    upstreams,
    ignoredFields: [...ignoredFields, ...routerOnly, ...nativeOnly, ...cacheMarks],
  })
}

interface Asked {
  request: ChatRequest
  plan: ChatPlan
  measure: PromptMeasure
  prompt: PromptCounts
  upstreams: readonly UpstreamSettings[]
  requestHash: string
  ignoredFields: readonly string[]
  /** Null if the answer is passed on as the upstream writes it. */
  answerForm: AnswerForm | null
  isTranslated: boolean
  /** Null if every host is asked for a chat completion. */
  native: NativeQuestion | null
}

function pricedQuote(services: KindServices, asked: Asked): Quote {
  const { request, plan, prompt } = asked
  const [model] = plan.models
  const times = { ...(request.stream ? STREAM_TIMES : WHOLE_TIMES), ...services.times }
  const callBy = (held: ChatPlan, heldNano: Nano): UpstreamCall => {
    const terms = termsFor(held, heldNano)
    const { answerForm } = asked
    const { priceMarkup } = services
    const streamed = request.stream === true
    const hasUsageChunk = request.stream_options?.include_usage === true
    const answered = new ChatAnswer(held, terms, prompt)
    const callIn = (native: NativeQuestion | null): UpstreamCall => {
      const nativeFor = (upstream: UpstreamSettings) => (supportsNative(upstream, native) ? native : null)
      return {
        async requestTo(upstream) {
          const dialect = upstreamDialect(upstream.baseUrl)
          const supported = nativeFor(upstream)
          const isTranslated = asked.isTranslated && supported === null
          const body = upstreamBody(request, { plan, terms, heldNano, priceMarkup, dialect, isTranslated })
          if (!supported) return { upstream, path: '/chat/completions', body: await encode(body) }
          const { endpoint: path, headers } = supported
          return { upstream, path, headers, body: await encode(supported.body(body)) }
        },
        rephrased: (failure, upstream) =>
          nativeFor(upstream) && refusesDialect(failure) ? callIn(null) : null,
        // Only a refusal by the last host: after any other, the next host may still have what `provider` asks for.
        refusal: (failure, upstream) =>
          upstream === asked.upstreams.at(-1) ? noSuchHost(request, failure) : failure,
        open: (response, upstream) =>
          answered.open(response, upstream, {
            streamed,
            hasUsageChunk,
            form: nativeFor(upstream)?.answer ?? answerForm,
          }),
        answersJson: !streamed,
        unanswered: () => answered.unanswered({ streamed, hasUsageChunk, form: answerForm }),
        costWithoutAnswer: () => answered.costWithoutAnswer(),
      }
    }
    return callIn(asked.native)
  }
  return {
    modelId: model.id,
    modelIds: plan.models.map(({ id }) => id),
    priceSnapshot: priceSnapshot(withinLimits(plan, model.prices)),
    requestHash: asked.requestHash,
    boundNano: plan.boundNano,
    minimumNano: plan.minimumNano,
    async estimated() {
      const bounds = { estimate: await prompt.estimated(), bound: plan.promptTokenCountMax }
      const probable = {
        ...plan,
        promptTokenCountMax: probablePromptTokenCountMax(asked.measure, bounds),
      }
      return {
        leastNano: minNano(plan.minimumNano, minimumOf(probable)),
        isGuess: plan.hasFiles,
        boundFor: heldNano => boundOf(plan, termsFor(probable, heldNano)),
        callFor: heldNano => callBy(probable, heldNano),
      }
    },
    isFree: plan.isFree,
    ignoredFields: asked.ignoredFields,
    upstreams: asked.upstreams,
    times,
    callFor: heldNano => callBy(plan, heldNano),
  }
}

/**
 * Keeps the texts of a request for counting, and lets its pictures go, since an exchange may run for an hour. A
 * function by itself, so that its closures can hold nothing else.
 */
function keepTextsOnly(measure: PromptMeasure, imageTokenCount: number): Pick<Asked, 'measure' | 'prompt'> {
  const texts = [...measure.texts()]
  const words = { ...measure, texts: () => texts }
  let estimate: Promise<number> | null = null
  const prompt: PromptCounts = {
    promptTokenCount: () => quickPromptTokens(words, imageTokenCount),
    characterCount: texts.reduce((sum, { length }) => sum + length, 0),
    estimated() {
      estimate ??= estimatePromptTokens(words, countTokens, imageTokenCount)
      return estimate
    },
  }
  return { measure: words, prompt }
}

/** Measures the request in both of its dialects, and takes the longer. Others get a turn between the two. */
async function measureOf(request: ChatRequest, native: NativeQuestion | null): Promise<PromptMeasure> {
  const measure = measurePrompt(request)
  if (!native) return measure
  await nextTurn()
  return longerOf(measure, measurePrompt(native.body(request)))
}

function supportsNative(
  { baseUrl }: UpstreamSettings,
  native: NativeQuestion | null,
): native is NativeQuestion {
  return native !== null && upstreamDialect(baseUrl).nativeEndpoints.includes(native.endpoint)
}

/** The host has no such endpoint, or does not take there what chat completions would; it did no work. */
const DIALECT_REFUSED_STATUSES: ReadonlySet<unknown> = new Set([400, 404, 405, 415, 422, 501])

function refusesDialect({ mayBill, detail }: UpstreamFailure): boolean {
  return !mayBill && DIALECT_REFUSED_STATUSES.has(detail.status)
}

/**
 * Whether hosts that are no routers leave a routing field out. Of `provider`, this site itself obeys privacy and
 * prices by its choice of hosts.
 */
function isLeftOut(request: ChatRequest, field: (typeof ROUTING_FIELDS)[number]): boolean {
  if (field !== 'provider') return request[field] != null
  const { zdr: _zdr, data_collection: _policy, max_price: _price, ...rest } = request.provider ?? {}
  return Object.values(rest).some(choice => choice != null)
}

/** The model, and the fallbacks that the request allows. @throws ApiError model_not_found */
async function findModels(catalogue: Catalogue, request: ChatRequest): Promise<[Model, ...Model[]]> {
  // A list of models may repeat the one that is asked first, or be the only one to name it.
  const isListed = request.models?.includes(request.model) === true
  const first = await findModel(catalogue, 'chat', request.model, isListed ? 'models' : 'model')
  const fallbackIds = (request.models ?? []).filter(id => id !== request.model)
  const fallbacks = await Promise.all(fallbackIds.map(id => findModel(catalogue, 'chat', id, 'models')))
  return [first, ...fallbacks]
}

/** With the catalogue's ids, by which the hosts know the models; of fallbacks only routers know. */
function withCatalogueIds(
  { models: _fallbacks, ...request }: ChatRequest,
  [first, ...others]: readonly [Model, ...Model[]],
): ChatRequest {
  const models = others.map(({ id }) => id)
  return { ...request, model: first.id, ...(models.length > 0 && { models }) }
}

/** A part without a price cannot be held for. @throws ApiError invalid_request */
function requirePrices(request: ChatRequest, { models, isFree }: ChatPlan, routes: boolean): void {
  // A price of zero means that the model's own host has no search; other hosts bill theirs.
  const isUnpriced = models.some(({ prices: { webSearch } }) => webSearch === null || isZero(webSearch))
  if (searchOf(request) && (!routes || isFree || isUnpriced)) {
    const problem = 'this model cannot search the web here. Remove the search tool, or choose another model'
    throw invalidField('tools', problem)
  }
  if (request.modalities?.includes('audio') && models.some(({ prices }) => prices.outputAudio === null)) {
    throw invalidField('modalities', 'this model has no price for audio output. Choose another model')
  }
}

/** @throws UpstreamFailure if the request can be parsed but not written: JSON nested beyond the stack */
async function encode(body: Record<string, unknown>): Promise<Buffer> {
  try {
    return await encodeJson(body)
  } catch (cause) {
    throw new UpstreamFailure('client_fault', 'The request is nested too deeply.', { status: 400, cause })
  }
}
