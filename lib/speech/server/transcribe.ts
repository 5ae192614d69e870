import 'server-only'
import type { Prices } from '@/lib/catalogue/domain/model'
import { priceSnapshot } from '@/lib/catalogue/domain/price-snapshot'
import { askUpstreams } from '@/lib/http/upstream/ask-upstreams'
import type { CallCharge } from '@/lib/ledger/server/metering/call-answer'
import { hashRequest } from '@/lib/ledger/server/metering/hash-request'
import { meterCall } from '@/lib/ledger/server/metering/meter-call'
import type { MeteredReply } from '@/lib/ledger/server/metering/metered-reply'
import { believeSeconds, boundSeconds, guessSeconds, priceTranscription } from '../domain/transcription-cost'
import { openElevenLabsTranscript, openOpenAiTranscript } from './open-transcript'
import { readTranscription, type TranscriptionRequest } from './read-transcription'
import type { SpeakInput } from './speak'
import { findModel, type SpeechContext, upstreamsOf } from './speech-context'
import { writeTranscript } from './write-transcript'

export interface TranscribeInput extends SpeakInput {
  /** Of the request, with the form's boundary. */
  contentType: string | null
}

/** `POST /v1/audio/transcriptions`: paid by the begun second of the recording. @throws ApiError */
export async function transcribe(context: SpeechContext, input: TranscribeInput): Promise<MeteredReply> {
  const request = readTranscription(input.body, input.contentType)
  const { fields, recording } = request
  const model = await findModel(context, fields.model, 'transcription')
  const upstreams = await upstreamsOf(context, model)
  const secondCountMax = boundSeconds(recording.bytes)
  const boundNano = priceTranscription(model.prices, secondCountMax)
  return meterCall(context.metering, {
    credential: input.credential,
    exchange: {
      queryType: 'transcription',
      querySource: input.querySource,
      modelId: model.id,
      priceSnapshot: priceSnapshot(model.prices),
    },
    boundNano,
    minimumNano: boundNano,
    requestHash: hashOf(request),
    idempotencyKey: input.idempotencyKey,
    signal: input.signal,
    async call({ signal }) {
      const open = { request, limits: context.limits, signal }
      const { upstreamId, transcript } = await askUpstreams(upstreams, upstream =>
        upstream === context.elevenLabs
          ? openElevenLabsTranscript(upstream, open)
          : openOpenAiTranscript(upstream, open),
      )
      const charge = chargeFor(
        model.prices,
        believeSeconds(transcript.durationSeconds, secondCountMax),
        recording.bytes,
      )
      return {
        kind: 'whole',
        upstreamId,
        charge,
        write: settlement =>
          writeTranscript({
            transcript,
            settlement,
            format: fields.response_format,
            secondCount: charge.inputTokenCount,
          }),
      }
    },
  })
}

/** By the upstream's own word for the length; ours where it says nothing. */
function chargeFor(prices: Prices, told: number | null, recording: Uint8Array) {
  const inputTokenCount = told ?? guessSeconds(recording)
  return {
    costNano: priceTranscription(prices, inputTokenCount),
    costBasis: told === null ? 'local_count' : 'upstream_tokens',
    estimated: told === null,
    inputTokenCount,
  } satisfies CallCharge
}

/** A retry is a new form with a new boundary; what it holds is the same. */
function hashOf({ fields, otherFields, recording }: TranscriptionRequest): string {
  const texts = JSON.stringify([Object.entries(fields).sort(), otherFields])
  return hashRequest('transcription', [texts, recording.bytes])
}
