import 'server-only'
import { createHash } from 'node:crypto'
import { measurePrompt, type PromptMeasure } from '@/lib/catalogue/domain/measure-prompt'
import type { Catalogue, Model, TokenUsage } from '@/lib/catalogue/domain/model'
import { priceSnapshot } from '@/lib/catalogue/domain/price-snapshot'
import { estimatePromptTokens, probablePromptTokenCountMax } from '@/lib/catalogue/domain/prompt-tokens'
import { countTokens } from '@/lib/catalogue/tokenizer/count-tokens'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import { ApiError } from '@/lib/http/api-error'
import type { Decimal } from '@/lib/money/decimal'
import { minNano, nanoToUsdNumber } from '@/lib/money/nano'
import { UpstreamFailure } from '@/lib/upstream/ask-upstreams'
import { upstreamDialect } from '@/lib/upstream/dialect'
import { parseJsonObject } from '@/lib/upstream/read-answer'
import { inBandStatus, refusalOf } from '@/lib/upstream/read-refusal'
import type { Charge, Counted } from '../../domain/decide-charge'
import type { AnswerTimes } from '../../domain/exchange-limits'
import type { Evidence, Kind, OpenedAnswer, Quote, Settlement, StreamReader } from '../../engine/kind'
import { isBeyondPossible, NO_USAGE, readCost, readUsage, shownDetails } from '../usage'
import { soundTokenCountMax } from './audio-parts'
import { type ChatRequest, REQUEST_BYTES_MAX, readChatRequest, searchOf } from './contract'
import type { Delivered } from './delivered'
import {
  type ChatPlan,
  type ChatTerms,
  costOfAnswer,
  inputTokenCountMax,
  minimumOf,
  planChat,
  searchUnits,
  stepsOf,
  termsFor,
} from './plan'
import { ChatStream, type Envelope } from './stream'
import { ROUTING_FIELDS, upstreamBody } from './upstream-body'

/** Reasoning models may think for a minute or two before their first byte; an answer in one piece, for ten. */
const STREAM_TIMES: AnswerTimes = {
  firstByteTimeoutMs: 120_000,
  betweenBytesTimeoutMs: 60_000,
  bodyTimeoutMs: 600_000,
}
const WHOLE_TIMES: AnswerTimes = { ...STREAM_TIMES, firstByteTimeoutMs: 600_000 }

export interface ChatServices {
  catalogue: Catalogue
  /** In the operator's order. */
  upstreams: readonly UpstreamSettings[]
  priceMarkup: Decimal
  times?: Partial<AnswerTimes>
}

/** `POST /v1/chat/completions`, streamed and not. */
export function chatKind(services: ChatServices): Kind {
  return {
    queryType: 'chat',
    body: { bytesMax: REQUEST_BYTES_MAX, content: 'json' },
    async quote({ body, json }) {
      const { request, ignoredFields } = readChatRequest(await json())
      const models = await findModels(services.catalogue, request)
      const upstreams = services.upstreams.filter(({ id }) => models[0].upstreamIds.includes(id))
      if (upstreams.length === 0) {
        throw new ApiError('upstream_error', 'No upstream has this model at the moment.')
      }
      const routes = upstreams.some(({ baseUrl }) => upstreamDialect(baseUrl).routes)
      const unrouted = routes ? [] : ROUTING_FIELDS.filter(field => request[field] != null)
      const measure = measurePrompt(request)
      const sound = soundTokenCountMax(request)
      const plan = planChat(request, models, { measure, audioTokenCountMax: sound, routes })
      requirePrices(request, plan)
      // The texts alone: what runs for an hour keeps no pictures.
      const texts = [...measure.texts()]
      const words = { ...measure, texts: () => texts }
      let estimate: Promise<number> | null = null
      const estimated = () => {
        estimate ??= estimatePromptTokens(words, countTokens)
        return estimate
      }
      return chatQuote(services, {
        request,
        plan,
        measure: words,
        estimated,
        upstreams,
        requestHash: createHash('sha256').update(body).digest('hex'),
        ignoredFields: [...ignoredFields, ...unrouted],
      })
    },
  }
}

interface Asked {
  request: ChatRequest
  plan: ChatPlan
  measure: PromptMeasure
  /** The prompt's tokens by our own count, counted once and only when needed. */
  estimated: () => Promise<number>
  upstreams: readonly UpstreamSettings[]
  requestHash: string
  ignoredFields: readonly string[]
}

function chatQuote(services: ChatServices, asked: Asked): Quote {
  const { request, plan, estimated } = asked
  const [model] = plan.models
  const times = { ...(request.stream ? STREAM_TIMES : WHOLE_TIMES), ...services.times }
  /** The plan with the prompt at its estimate, for balances that the true bound is too much for. */
  let estimatedPlan: ChatPlan | null = null
  return {
    modelId: model.id,
    priceSnapshot: priceSnapshot(model.prices),
    requestHash: asked.requestHash,
    boundNano: plan.boundNano,
    minimumNano: plan.minimumNano,
    async leastNano() {
      const bounds = { estimate: await estimated(), bound: plan.promptTokenCountMax }
      estimatedPlan = { ...plan, promptTokenCountMax: probablePromptTokenCountMax(asked.measure, bounds) }
      return minNano(plan.minimumNano, minimumOf(estimatedPlan))
    },
    isFree: plan.isFree,
    ignoredFields: asked.ignoredFields,
    upstreams: asked.upstreams,
    times,
    callFor(heldNano) {
      const held = heldNano < plan.minimumNano && estimatedPlan ? estimatedPlan : plan
      const terms = termsFor(held, heldNano)
      const answered = new ChatAnswer({ plan, terms, estimated })
      return {
        requestTo(upstream) {
          const dialect = upstreamDialect(upstream.baseUrl)
          const { priceMarkup } = services
          const body = upstreamBody(request, { plan, terms, heldNano, priceMarkup, dialect })
          return { upstream, path: '/chat/completions', body: encode(body) }
        },
        open: (response, upstream) => answered.open(response, upstream, request.stream === true),
        asked: () => answered.asked(),
      }
    },
  }
}

/** How one answer is read and counted. */
class ChatAnswer {
  readonly #plan: ChatPlan
  readonly #terms: ChatTerms
  readonly #estimated: () => Promise<number>
  /** Prices that depend on the time of day are those of the request. */
  readonly #askedAt = new Date()

  constructor(input: { plan: ChatPlan; terms: ChatTerms; estimated: () => Promise<number> }) {
    this.#plan = input.plan
    this.#terms = input.terms
    this.#estimated = input.estimated
  }

  open(
    response: { headers: Record<string, string | string[] | undefined> },
    upstream: UpstreamSettings,
    streamed: boolean,
  ): OpenedAnswer {
    const isJson = /^application\/json/i.test(String(response.headers['content-type'] ?? ''))
    if (streamed && !isJson) {
      const headers = { 'content-type': 'text/event-stream; charset=utf-8' }
      return { form: 'stream', headers, reader: this.#streamReader(upstream) }
    }
    return {
      form: 'whole',
      read: bytes => {
        const body = parseJsonObject(bytes.toString('utf8'))
        if (body?.error != null) throw refusalOf(inBandStatus(body.error), body.error, upstream)
        if (!body || streamed || !Array.isArray(body.choices)) {
          const message = 'The upstream answered with something else than an answer.'
          throw new UpstreamFailure('refused', message, { mayBill: true })
        }
        return this.#whole(body)
      },
    }
  }

  /** Once the upstream has read it, the prompt is to be paid. */
  async asked(): Promise<Counted> {
    return this.#countedOf({ ...NO_USAGE, inputTokenCount: await this.#estimated() }, null)
  }

  #streamReader(upstream: UpstreamSettings): StreamReader {
    const stream = new ChatStream()
    const plan = this.#plan
    const { tellsCost: keepsRecords } = upstreamDialect(upstream.baseUrl)
    const canReason = plan.models.some(model => model.canReason)
    return {
      push: chunk => stream.push(chunk),
      flush: () => stream.flush(),
      get ended() {
        return stream.ended
      },
      get error() {
        return stream.error
      },
      isComplete: () => stream.isComplete,
      get hasOutput() {
        return stream.delivered.hasOutput
      },
      isCountable(leftUnseen) {
        if (plan.isFree || stream.usageReports.length > 0) return true
        if (keepsRecords && stream.envelope?.id) return true
        const { hasOutput, hasThoughts } = stream.delivered
        // Thoughts that are not shown are billed like any others, and told at the end alone.
        const mayHaveHidden = plan.thinks || (canReason && leftUnseen)
        return hasOutput && (hasThoughts || !mayHaveHidden)
      },
      evidence: () => this.#evidence(stream.usageReports, stream.delivered, stream.envelope),
      lastWords: ({ end, charge, settlement, exchangeId }) => {
        const usage = this.#usageEvent({ charge, settlement, exchangeId, stream })
        return Buffer.concat([usage, end.error ? encodeEvent(end.error.toBody()) : DONE_EVENT])
      },
    }
  }

  #whole(body: Record<string, unknown>) {
    const { usage: report, ...answer } = body
    const stream = new ChatStream()
    stream.takeChoices(body.choices)
    const envelope: Envelope = {
      id: typeof body.id === 'string' ? body.id : '',
      model: typeof body.model === 'string' ? body.model : '',
      created: 0,
    }
    return {
      evidence: () => this.#evidence([report], stream.delivered, envelope),
      write: ({ charge, settlement }: { charge: Charge; settlement: Settlement }) => ({
        contentType: 'application/json',
        body: Buffer.from(JSON.stringify({ ...answer, usage: chargedUsage(charge, settlement, report) })),
      }),
    }
  }

  #evidence(reports: readonly unknown[], delivered: Delivered, envelope: Envelope | null): Evidence {
    const { hasOutput } = delivered
    const modelName = envelope?.model ?? null
    const possible = this.#possible(hasOutput)
    const usage = lastOf(reports, report => readUsage(report, possible))
    return {
      hasOutput,
      told: lastOf(reports, readCost),
      counted: usage && this.#countedOf(usage, modelName),
      isBeyondPossible: reports.some(report => isBeyondPossible(report, possible)),
      own: async () => this.#countedOf(await this.#ownUsage(delivered), modelName),
      generationId: envelope?.id || null,
    }
  }

  async #ownUsage(delivered: Delivered): Promise<TokenUsage> {
    const { imageCount, audioTokenCountMax: audioInputTokenCount } = this.#plan
    const [inputTokenCount, counts] = await Promise.all([this.#estimated(), delivered.count()])
    return {
      ...NO_USAGE,
      ...counts,
      inputTokenCount,
      imageCount,
      audioInputTokenCount: Math.min(audioInputTokenCount, inputTokenCount),
      webSearchCount: searchUnits(this.#terms.search),
    }
  }

  /** What was sent and asked for makes no more than this possible. */
  #possible(hasOutput: boolean) {
    const { plan, search } = { plan: this.#plan, search: this.#terms.search }
    return {
      hasOutput,
      inputTokenCountMax: inputTokenCountMax(plan.promptTokenCountMax, search),
      outputTokenCountMax: this.#terms.outputTokenCountMax * plan.choiceCount * stepsOf(search),
      imageCount: plan.imageCount,
      webSearchCountMax: searchUnits(search),
      resultsPerSearch: search?.resultCount ?? 0,
    }
  }

  #countedOf(usage: TokenUsage, modelName: string | null): Counted {
    const { inputTokenCount, cachedInputTokenCount, outputTokenCount, reasoningTokenCount } = usage
    return {
      costNano: costOfAnswer(this.#plan, modelName, usage, this.#askedAt),
      counts: { inputTokenCount, cachedInputTokenCount, outputTokenCount, reasoningTokenCount },
    }
  }

  /** Tells what was charged, in OpenAI's shape of a last chunk: no choices, only usage. */
  #usageEvent(input: {
    charge: Charge
    settlement: Settlement
    exchangeId: string
    stream: ChatStream
  }): Buffer {
    const { charge, settlement, exchangeId, stream } = input
    const { envelope } = stream
    return encodeEvent({
      id: envelope?.id || exchangeId,
      object: 'chat.completion.chunk',
      created: envelope?.created ?? 0,
      model: envelope?.model || this.#plan.models[0].id,
      choices: [],
      usage: chargedUsage(charge, settlement, stream.usageReports.at(-1)),
    })
  }
}

const DONE_EVENT = Buffer.from('data: [DONE]\n\n')

/** The upstream's counts, or ours, with what this site charged for them in place of what it paid. */
function chargedUsage(charge: Charge, settlement: Settlement, report: unknown): Record<string, unknown> {
  const { inputTokenCount, outputTokenCount } = charge.counts
  return {
    ...(charge.estimated ? {} : shownDetails(report)),
    prompt_tokens: inputTokenCount,
    completion_tokens: outputTokenCount,
    total_tokens: inputTokenCount + outputTokenCount,
    cost: nanoToUsdNumber(settlement.chargedNano),
    ...(settlement.balanceNano === null ? {} : { balance_usd: nanoToUsdNumber(settlement.balanceNano) }),
    ...(charge.estimated ? { estimated: true } : {}),
  }
}

/** The model, and the fallbacks that the request allows. @throws ApiError model_not_found */
async function findModels(catalogue: Catalogue, request: ChatRequest): Promise<[Model, ...Model[]]> {
  const find = async (modelId: string, param: string): Promise<Model> => {
    const model = await catalogue.findModel(modelId)
    if (model?.kind === 'chat') return model
    throw new ApiError('model_not_found', `There is no chat model "${modelId}" here.`, { param })
  }
  const first = await find(request.model, 'model')
  const fallbacks = await Promise.all((request.models ?? []).map(modelId => find(modelId, 'models')))
  return [first, ...fallbacks]
}

/** What has no price here cannot be held for. @throws ApiError invalid_request */
function requirePrices(request: ChatRequest, { models, isFree }: ChatPlan): void {
  if (searchOf(request) && (isFree || models.some(({ prices }) => prices.webSearch === null))) {
    const message = 'tools is not valid: this model has no price for searching the web.'
    throw new ApiError('invalid_request', message, { param: 'tools' })
  }
  if (request.modalities?.includes('audio') && models.some(({ prices }) => prices.outputAudio === null)) {
    const message = 'modalities is not valid: this model has no price for sound.'
    throw new ApiError('invalid_request', message, { param: 'modalities' })
  }
}

/** @throws UpstreamFailure for a request that can be read but not written: JSON nested beyond the stack */
function encode(body: Record<string, unknown>): Buffer {
  try {
    return Buffer.from(JSON.stringify(body))
  } catch (cause) {
    throw new UpstreamFailure('client_fault', 'The request is nested too deeply.', { status: 400, cause })
  }
}

function encodeEvent(data: unknown): Buffer {
  return Buffer.from(`data: ${JSON.stringify(data)}\n\n`)
}

function lastOf<Value>(reports: readonly unknown[], read: (report: unknown) => Value | null): Value | null {
  for (let index = reports.length - 1; index >= 0; index -= 1) {
    const value = read(reports[index])
    if (value !== null) return value
  }
  return null
}
