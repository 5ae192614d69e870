import 'server-only'
import { estimateTokens } from '@/lib/catalogue/domain/estimate-tokens'
import type { Model } from '@/lib/catalogue/domain/model'
import { priceSnapshot } from '@/lib/catalogue/domain/price-snapshot'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import { ApiError } from '@/lib/http/api-error'
import { parseJson } from '@/lib/http/read-body'
import { askUpstreams } from '@/lib/http/upstream/ask-upstreams'
import type { WholeAnswer } from '@/lib/ledger/server/metering/call-answer'
import { hashRequest } from '@/lib/ledger/server/metering/hash-request'
import { meterCall } from '@/lib/ledger/server/metering/meter-call'
import type { MeteredReply } from '@/lib/ledger/server/metering/metered-reply'
import { decideImageCharge } from '../domain/decide-image-charge'
import { imageAnswer } from '../domain/image-answer'
import { heldImageCount, type ImagePlan, planImages } from '../domain/image-plan'
import { type ImageRequest, imageRequestSchema } from '../domain/image-request'
import { askPainter } from './ask-painter'
import type { GenerateInput } from './generate-input'
import type { ImageContext } from './image-context'

/** Prices a request for pictures, holds its upper bound, and has it drawn. @throws ApiError */
export async function draw(context: ImageContext, input: GenerateInput): Promise<MeteredReply> {
  const request = parseJson(input.body, imageRequestSchema)
  const model = await findPainter(context, request)
  const upstreams = upstreamsOf(context, model)
  const plan = planImages(request, model)
  return meterCall(context.metering, {
    credential: input.credential,
    exchange: {
      queryType: 'image',
      querySource: input.querySource,
      modelId: model.id,
      priceSnapshot: priceSnapshot(model.prices),
    },
    boundNano: plan.boundNano,
    minimumNano: plan.minimumNano,
    requestHash: hashRequest('image', [input.body]),
    idempotencyKey: input.idempotencyKey,
    signal: input.signal,
    call: ({ heldNano, signal }) => drawHeld(context, { request, model, upstreams, plan, heldNano, signal }),
  })
}

async function drawHeld(
  context: ImageContext,
  input: {
    request: ImageRequest
    model: Model
    upstreams: readonly UpstreamSettings[]
    plan: ImagePlan
    heldNano: bigint
    signal: AbortSignal
  },
): Promise<WholeAnswer> {
  const { request, model, plan, heldNano, signal } = input
  const imageCount = heldImageCount(plan, model.prices, heldNano)
  const { upstream, drawn } = await askUpstreams(input.upstreams, async upstream => ({
    upstream,
    drawn: await askPainter({ upstream, request, imageCount, times: context.times, signal }),
  }))
  const charge = decideImageCharge({
    plan,
    drawnCount: drawn.images.length,
    report: drawn.usage,
    inputTokenCountEstimate: estimateTokens(request.prompt),
    prices: model.prices,
    priceMarkup: context.priceMarkup,
  })
  return {
    kind: 'whole',
    upstreamId: upstream.id,
    charge: { ...charge, ...charge.tokens },
    write: ({ chargedNano, balanceNano }) => ({
      contentType: 'application/json',
      body: Buffer.from(
        JSON.stringify(
          imageAnswer({ drawn, charge, createdAtSeconds: context.nowSeconds(), chargedNano, balanceNano }),
        ),
      ),
    }),
  }
}

/** @throws ApiError model_not_found */
async function findPainter(context: ImageContext, { model: modelId }: ImageRequest): Promise<Model> {
  const model = await context.catalogue.findModel(modelId)
  if (model?.kind === 'image') return model
  throw new ApiError('model_not_found', `There is no image model "${modelId}" here.`, { param: 'model' })
}

/** @throws ApiError upstream_error when the operator has removed every one of them */
function upstreamsOf(context: ImageContext, model: Model): UpstreamSettings[] {
  const upstreams = context.upstreams.filter(({ id }) => model.upstreamIds.includes(id))
  if (upstreams.length > 0) return upstreams
  throw new ApiError('upstream_error', 'No upstream has this model at the moment.')
}
