import 'server-only'
import { readCost } from '@/lib/catalogue/domain/billed-cost'
import { cost, NO_USAGE } from '@/lib/catalogue/domain/cost'
import { estimateTokens } from '@/lib/catalogue/domain/estimate-tokens'
import { isOpenRouter } from '@/lib/catalogue/domain/is-open-router'
import type { Model, TokenUsage } from '@/lib/catalogue/domain/model'
import { priceSnapshot } from '@/lib/catalogue/domain/price-snapshot'
import { TOKENS_PER_IMAGE } from '@/lib/catalogue/domain/prompt-tokens'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import { invalidField } from '@/lib/http/api-error'
import { encodeJson } from '@/lib/http/json-scan'
import { isZero } from '@/lib/money/decimal'
import { UpstreamFailure, upstreamsWith } from '@/lib/upstream/ask-upstreams'
import { parseJsonObject } from '@/lib/upstream/read-body'
import { errorIn, inBandRefusal } from '@/lib/upstream/read-refusal'
import { type Charge, type Counted, chargeFields, countsOf } from '../../domain/decide-charge'
import type { AnswerTimes } from '../../domain/exchange-limits'
import {
  type Evidence,
  failureOf,
  hashOfRequest,
  type Kind,
  type Quote,
  type Settlement,
  type UpstreamCall,
  type WholeAnswer,
} from '../../engine/kind'
import { findModel, type KindServices } from '../kind-services'
import { isBeyondPossible, readUpstreamCount, TEXT_ALONE } from '../usage'
import { IMAGE_REQUEST_BYTES_MAX, type ImageRequest, readImageRequest } from './contract'
import { type DrawnImages, readDrawnImages } from './drawn-images'
import { editRequestTo, hashOfEdit, type ImageEdit, measuredRequest, readImageEdit } from './edit'
import {
  type ImagePlan,
  type ImageTerms,
  imageTermsFor,
  planImages,
  tokensPerDrawingMax,
  unitsPerImage,
} from './plan'

/** The slowest models take two or three minutes, and send nothing before they have finished. */
const IMAGE_TIMES: AnswerTimes = {
  firstByteTimeoutMs: 280_000,
  betweenBytesTimeoutMs: 120_000,
  bodyTimeoutMs: 120_000,
}

/** `POST /v1/images/generations`. */
export function imagesKind(services: KindServices): Kind {
  return {
    queryType: 'image',
    body: { bytesMax: IMAGE_REQUEST_BYTES_MAX, content: 'json' },
    async quote({ body, json }) {
      const { request, ignoredFields } = readImageRequest(await json())
      const requestHash = hashOfRequest('image\n', body)
      const model = await findModel(services.catalogue, 'image', request.model)
      return quoteImages(services, { model, request, ignoredFields, requestHash, edit: null })
    },
  }
}

/** `POST /v1/images/edits`: the same, from pictures that are sent along. */
export function imageEditsKind(services: KindServices): Kind {
  return {
    queryType: 'image',
    body: { bytesMax: IMAGE_REQUEST_BYTES_MAX, content: 'bytes' },
    contentHash: (body, contentType) => hashOfEdit(readImageEdit(body, contentType)),
    async quote({ body, contentType }) {
      const edit = readImageEdit(body, contentType)
      const { request, ignoredFields } = edit
      const model = await findModel(services.catalogue, 'image', request.model)
      if (!model.inputModalities.includes('image')) {
        const list = 'GET /v1/models?type=image&input_modalities=image lists the models that do'
        throw invalidField('model', `"${model.id}" does not accept images. ${list}`)
      }
      return quoteImages(services, { model, request, ignoredFields, requestHash: hashOfEdit(edit), edit })
    },
  }
}

interface Asked {
  model: Model
  request: ImageRequest
  ignoredFields: readonly string[]
  requestHash: string
  /** Null unless pictures were uploaded in a form. */
  edit: ImageEdit | null
}

function quoteImages(services: KindServices, asked: Asked): Quote {
  const { model, ignoredFields, requestHash, edit } = asked
  const request = { ...asked.request, model: model.id }
  const upstreams = upstreamsWith(model, services.upstreams)
  const plan = planImages(edit ? measuredRequest(edit) : request, model)
  const isFormatIgnored =
    request.response_format === 'url' && !upstreams.some(upstream => takesFormat(upstream, model.id))
  return {
    modelId: model.id,
    priceSnapshot: priceSnapshot(model.prices),
    requestHash,
    boundNano: plan.boundNano,
    minimumNano: plan.minimumNano,
    isFree: plan.isFree,
    ignoredFields: isFormatIgnored ? [...ignoredFields, 'response_format'] : ignoredFields,
    upstreams,
    times: { ...IMAGE_TIMES, ...services.times },
    callFor: heldNano => drawing({ request, edit, plan, terms: imageTermsFor(plan, heldNano) }),
  }
}

/** A request, what it can cost, and as much of it as the hold affords. */
interface Drawing extends Pick<Asked, 'request' | 'edit'> {
  plan: ImagePlan
  terms: ImageTerms
}

function drawing(held: Drawing): UpstreamCall {
  const { edit, terms } = held
  return {
    answersJson: true,
    async requestTo(upstream) {
      const fields = upstreamBody(held, upstream)
      if (edit) return editRequestTo(upstream, edit, fields)
      // OpenRouter has a shorter path than OpenAI.
      const path = isOpenRouter(upstream.baseUrl) ? '/images' : '/images/generations'
      return { upstream, path, body: await encodeJson(fields) }
    },
    open: (_response, upstream) => ({
      form: 'whole',
      read(bytes) {
        const body = parseJsonObject(bytes.toString('utf8'))
        const error = errorIn(body)
        if (error !== null) throw failureOf(inBandRefusal(error, upstream), evidenceOf(held, 0, body?.usage))
        const drawn = body && readDrawnImages(body, terms.imageCount)
        if (drawn && drawn.images.length > 0) return drawnAnswer(held, drawn)
        const message = 'The upstream sent something that is not images.'
        const failure = new UpstreamFailure('refused', message, { mayBill: true })
        throw failureOf(failure, evidenceOf(held, terms.imageCount, body?.usage))
      },
    }),
    // Once begun, a picture is drawn and billed whether or not anybody waits.
    costWithoutAnswer: async () => ({
      ...counted(held.plan, ownUsage(held, 0)),
      billedNano: counted(held.plan, ownUsage(held, terms.imageCount)).costNano,
    }),
  }
}

/** These models always answer with bytes, and refuse `response_format`. */
const ANSWERS_BYTES = /gpt-image/i

function takesFormat({ baseUrl }: UpstreamSettings, modelId: string): boolean {
  return !isOpenRouter(baseUrl) && !ANSWERS_BYTES.test(modelId)
}

/**
 * The client's own request, limited to the pictures that are held for. `response_format` is only sent where it has a
 * meaning, since other hosts refuse it.
 */
function upstreamBody(
  { request, plan: { asked }, terms }: Drawing,
  upstream: UpstreamSettings,
): Record<string, unknown> {
  const { stream: _stream, response_format: responseFormat, n, ...rest } = request
  return {
    ...rest,
    // Models that draw one picture at a time refuse the field.
    ...(n == null ? {} : { n: terms.imageCount }),
    ...(terms.size === asked.size ? {} : { size: terms.size }),
    ...(terms.quality === asked.quality ? {} : { quality: terms.quality }),
    ...(responseFormat != null && takesFormat(upstream, request.model)
      ? { response_format: responseFormat }
      : {}),
  }
}

function drawnAnswer(held: Drawing, drawn: DrawnImages): WholeAnswer {
  return {
    evidence: () => evidenceOf(held, drawn.images.length, drawn.usage),
    write: async ({ charge, settlement }) => ({
      contentType: 'application/json',
      body: await encodeJson(imageAnswer(drawn, charge, settlement, hasTokenPrice(held.plan))),
    }),
  }
}

function evidenceOf(held: Drawing, drawnCount: number, report: unknown): Evidence {
  const { plan, terms } = held
  const own = ownUsage(held, drawnCount)
  // Priced by the piece, and counted in tokens, those that did not arrive may be billed beside those that did.
  const { imageCount } = drawnCount === 0 ? own : ownUsage(held, terms.imageCount)
  const reported = (usage: TokenUsage): Counted => ({
    ...counted(plan, usage),
    billedNano: counted(plan, { ...usage, imageCount }).costNano,
  })
  const possible = {
    ...TEXT_ALONE,
    hasOutput: hasTokenPrice(plan),
    // A cheaper model may read the prompt first, and most models that draw count no text at all.
    inputCharacterCount: 0,
    outputCharacterCount: 0,
    inputTokenCountMax: plan.promptTokenCountMax,
    outputTokenCountMax: terms.imageCount * tokensPerDrawingMax(plan.model, terms),
    imageCount: own.imageCount,
    absentKinds: plan.referenceCount === 0 ? (['imageInputTokenCount'] as const) : [],
  }
  return {
    hasOutput: true,
    reportedCost: readCost(report),
    upstreamCount: readUpstreamCount(report, possible, reported),
    isBeyondPossible: isBeyondPossible(report, possible),
    // Pictures that did not arrive may be billed all the same.
    localCount: async () => ({
      ...counted(plan, own),
      billedNano: counted(plan, ownUsage(held, terms.imageCount)).costNano,
    }),
    generationId: null,
  }
}

/** OpenAI's answer, with the charge in place of what the operator pays. */
function imageAnswer(
  drawn: DrawnImages,
  charge: Charge,
  settlement: Settlement,
  isByToken: boolean,
): Record<string, unknown> {
  const { inputTokenCount, outputTokenCount, otherCounts } = charge.counts
  const pictureTokenCount = otherCounts?.image_input ?? 0
  return {
    created: drawn.createdAtSeconds ?? Math.floor(Date.now() / 1000),
    data: drawn.images,
    usage: {
      input_tokens: inputTokenCount,
      output_tokens: outputTokenCount,
      total_tokens: inputTokenCount + outputTokenCount,
      // OpenAI's schema requires it of every usage.
      input_tokens_details: {
        text_tokens: inputTokenCount - pictureTokenCount,
        image_tokens: pictureTokenCount,
      },
      image_count: drawn.images.length,
      ...chargeFields(settlement),
      ...(charge.estimated && isByToken ? { estimated: true } : {}),
    },
  }
}

/** For upstreams that report no counts. A model that is priced only per picture has no tokens. */
function ownUsage({ request, plan, terms }: Drawing, drawnCount: number): TokenUsage {
  const { prices } = plan.model
  return {
    ...NO_USAGE,
    inputTokenCount: isZero(prices.prompt)
      ? 0
      : estimateTokens(request.prompt) + plan.referenceCount * TOKENS_PER_IMAGE,
    outputTokenCount: isZero(prices.completion) ? 0 : drawnCount * tokensPerDrawingMax(plan.model, terms),
    imageCount: drawnCount * unitsPerImage(terms) + plan.referenceCount,
  }
}

function counted({ model }: ImagePlan, usage: TokenUsage): Counted {
  return { costNano: cost({ prices: model.prices, usage }), counts: countsOf(usage) }
}

function hasTokenPrice({ model: { prices } }: ImagePlan): boolean {
  return !isZero(prices.prompt) || !isZero(prices.completion)
}
