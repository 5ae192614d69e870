import 'server-only'
import { priceSnapshot } from '@/lib/catalogue/domain/price-snapshot'
import { parseJson } from '@/lib/http/read-body'
import { askUpstreams } from '@/lib/http/upstream/ask-upstreams'
import type { Credential, ExchangeDetail } from '@/lib/ledger/domain/ledger'
import type { CallCharge, Delivered } from '@/lib/ledger/server/metering/call-answer'
import { hashRequest } from '@/lib/ledger/server/metering/hash-request'
import { meterCall } from '@/lib/ledger/server/metering/meter-call'
import type { MeteredReply } from '@/lib/ledger/server/metering/metered-reply'
import { formatUsd } from '@/lib/money/nano'
import { BYTES_PER_SECOND } from '../domain/audio-format'
import { priceSpeech, type SpeechPrice, spokenPart } from '../domain/speech-cost'
import { type SpeechRequest, speechRequestSchema } from '../domain/speech-request'
import { openElevenLabsSound, openOpenAiSound } from './open-sound'
import { findModel, type SpeechContext, upstreamsOf } from './speech-context'

export interface SpeakInput {
  credential: Credential
  /** The request's JSON, as it came. */
  body: Uint8Array
  idempotencyKey: string | null
  querySource: ExchangeDetail['querySource']
  /** Aborted when the client leaves. */
  signal: AbortSignal
}

/** `POST /v1/audio/speech`: sound as it is spoken, at a price that is known before. @throws ApiError */
export async function speak(context: SpeechContext, input: SpeakInput): Promise<MeteredReply> {
  const request = parseJson(input.body, speechRequestSchema)
  const model = await findModel(context, request.model, 'speech')
  const upstreams = await upstreamsOf(context, model)
  const price = priceSpeech(model.prices, request.input)
  return meterCall(context.metering, {
    credential: input.credential,
    exchange: {
      queryType: 'speech',
      querySource: input.querySource,
      modelId: model.id,
      priceSnapshot: priceSnapshot(model.prices),
    },
    boundNano: price.costNano,
    minimumNano: price.costNano,
    requestHash: hashRequest('speech', [input.body]),
    idempotencyKey: input.idempotencyKey,
    signal: input.signal,
    async call({ signal }) {
      const open = { request, limits: context.limits, signal }
      const { upstreamId, response, contentType } = await askUpstreams(upstreams, upstream =>
        upstream === context.elevenLabs
          ? openElevenLabsSound(upstream, open)
          : openOpenAiSound(upstream, open),
      )
      return {
        kind: 'stream',
        upstreamId,
        response,
        contentType,
        // Asks proxies such as nginx to pass the sound on as it comes.
        headers: { 'x-cost-usd': formatUsd(price.costNano), 'x-accel-buffering': 'no' },
        betweenBytesTimeoutMs: context.limits.betweenBytesTimeoutMs,
        charge: delivered =>
          delivered.whole
            ? chargeFor(price)
            : { ...chargeFor(priceSpeech(model.prices, heardPart(request, delivered))), estimated: true },
      }
    },
  })
}

function chargeFor({ costNano, unitCount, estimated }: SpeechPrice): CallCharge {
  return { costNano, costBasis: 'local_count', estimated, inputTokenCount: unitCount }
}

/** Whoever hears half of a text pays for half of it. */
function heardPart(request: SpeechRequest, { byteCount }: Delivered): string {
  return spokenPart({
    text: request.input,
    byteCount,
    bytesPerSecond: BYTES_PER_SECOND[request.response_format ?? 'mp3'],
    speed: request.speed ?? 1,
  })
}
