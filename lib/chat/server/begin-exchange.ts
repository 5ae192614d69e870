import 'server-only'
import type { Model } from '@/lib/catalogue/domain/model'
import { priceSnapshot } from '@/lib/catalogue/domain/price-snapshot'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import { ApiError } from '@/lib/http/api-error'
import { UpstreamFailure } from '@/lib/http/upstream/upstream-failure'
import type { Credential, HoldResult } from '@/lib/ledger/domain/ledger'
import type { ReplayKeys } from '@/lib/ledger/server/metering/keep-replay'
import { placeHold } from '@/lib/ledger/server/metering/place-hold'
import type { ChatRequest } from '../domain/chat-request'
import { estimatePrompt } from '../domain/estimate-prompt'
import { type ExchangePlan, heldOutputTokenCount, planExchange } from '../domain/exchange-plan'
import { upstreamBody, upstreamDialect } from '../domain/upstream-body'
import type { ExchangeContext } from './exchange-context'
import { openAnswer } from './open-answer'
import { runExchange } from './run-exchange'
import type { RunningExchange } from './running-exchange'

export interface BeginInput {
  credential: Credential
  request: ChatRequest
  requestHash: string
  idempotencyKeyHash: string | null
  replayKeys: ReplayKeys
}

export type BeginResult =
  | { outcome: 'begun'; exchange: RunningExchange }
  | Extract<HoldResult, { outcome: 'duplicate' }>

/** Prices the request, holds its upper bound, and only then calls an upstream. @throws ApiError */
export async function beginExchange(context: ExchangeContext, input: BeginInput): Promise<BeginResult> {
  const { request, replayKeys } = input
  const startedAtMs = context.now()
  const models = await findModels(context, request)
  const [model] = models
  const upstreams = await upstreamsOf(context, model)
  const plan = planExchange(request, models)
  const hold = await placeHold(context.ledger, {
    credential: input.credential,
    amountNano: plan.boundNano,
    minimumNano: plan.minimumNano,
    leastNano: plan.minimumNano,
    ttlSeconds: context.limits.holdTtlSeconds,
    idempotencyKeyHash: input.idempotencyKeyHash,
    requestHash: input.requestHash,
    exchange: {
      queryType: 'chat',
      querySource: replayKeys.resumeKey === null ? 'api' : 'web',
      modelId: model.id,
      priceSnapshot: priceSnapshot(model.prices),
    },
  })
  if (hold.outcome === 'duplicate') return hold
  const abort = new AbortController()
  const outputTokenCountMax = heldOutputTokenCount(plan, models, hold.amountNano)
  const exchange = runExchange(context, {
    holdId: hold.holdId,
    accountId: hold.accountId,
    modelId: model.id,
    pricing: pricingOf(context, plan, model),
    opening: open(context, { request, models, upstreams, outputTokenCountMax, abort }),
    abort,
    replayKeys,
    startedAtMs,
  })
  return { outcome: 'begun', exchange }
}

/** The model, and the fallbacks that the request allows. @throws ApiError model_not_found */
async function findModels(context: ExchangeContext, request: ChatRequest): Promise<[Model, ...Model[]]> {
  const find = async (modelId: string, param: string): Promise<Model> => {
    const model = await context.catalogue.findModel(modelId)
    if (model?.kind === 'chat') return model
    throw new ApiError('model_not_found', `There is no chat model "${modelId}" here.`, { param })
  }
  const first = await find(request.model, 'model')
  const fallbacks = await Promise.all((request.models ?? []).map(modelId => find(modelId, 'models')))
  return [first, ...fallbacks]
}

/** @throws ApiError upstream_error when the operator has removed every one of them */
async function upstreamsOf(context: ExchangeContext, model: Model): Promise<UpstreamSettings[]> {
  const all = await context.upstreams()
  const upstreams = all.filter(upstream => model.upstreamIds.includes(upstream.id))
  if (upstreams.length > 0) return upstreams
  throw new ApiError('upstream_error', 'No upstream has this model at the moment.')
}

function pricingOf(context: ExchangeContext, plan: ExchangePlan, model: Model) {
  return {
    prices: model.prices,
    priceMarkup: context.priceMarkup,
    boundNano: plan.boundNano,
    imageCount: plan.imageCount,
    believableTokenCountMax: plan.believableTokenCountMax,
  }
}

/** The request lives no longer than this: a running exchange keeps none of it. */
async function open(
  context: ExchangeContext,
  input: {
    request: ChatRequest
    models: readonly Model[]
    upstreams: readonly UpstreamSettings[]
    outputTokenCountMax: number
    abort: AbortController
  },
) {
  const { request, models, upstreams, outputTokenCountMax, abort } = input
  const takesFiles = models.every(({ inputModalities }) => inputModalities.includes('file'))
  const opening = openAnswer({
    upstreams,
    streamed: request.stream === true,
    bodyFor: upstream => encodeBody(request, { upstream, outputTokenCountMax, takesFiles }),
    limits: context.limits,
    signal: abort.signal,
  })
  try {
    // Counted while the upstream is thinking, where it delays nothing.
    const inputTokenCountEstimate = estimatePrompt(request)
    return { opened: await opening, inputTokenCountEstimate }
  } catch (error) {
    // Nobody will read what the upstream was asked for, nor hear how that ends.
    opening.catch(() => {})
    abort.abort(error)
    throw error
  }
}

/** @throws UpstreamFailure for a request that can be read but not written: JSON nested beyond the stack */
function encodeBody(
  request: ChatRequest,
  input: { upstream: UpstreamSettings; outputTokenCountMax: number; takesFiles: boolean },
): Buffer {
  const { upstream, ...rest } = input
  const body = upstreamBody(request, { ...rest, dialect: upstreamDialect(upstream.baseUrl) })
  try {
    return Buffer.from(JSON.stringify(body))
  } catch (cause) {
    throw new UpstreamFailure('client_fault', 'The request is nested too deeply.', { status: 400, cause })
  }
}
