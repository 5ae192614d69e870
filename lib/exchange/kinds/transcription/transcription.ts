import 'server-only'
import { readCost } from '@/lib/catalogue/domain/billed-cost'
import { priceSnapshot } from '@/lib/catalogue/domain/price-snapshot'
import { costsNothing } from '@/lib/catalogue/domain/usable-prices'
import { ApiError } from '@/lib/http/api-error'
import { formatUsd, minNano } from '@/lib/money/nano'
import { elevenLabsModelId } from '@/lib/speech/domain/elevenlabs-models'
import { writeSubtitles } from '@/lib/speech/domain/subtitles'
import { mapElevenLabsTranscript, mapOpenAiTranscript, type Transcript } from '@/lib/speech/domain/transcript'
import { boundSeconds } from '@/lib/speech/domain/transcription-cost'
import { UpstreamFailure } from '@/lib/upstream/ask-upstreams'
import { parseJsonObject } from '@/lib/upstream/read-body'
import { errorIn, inBandRefusal } from '@/lib/upstream/read-refusal'
import { chargeFields } from '../../domain/decide-charge'
import { type AnswerTimes, WHOLE_ANSWER_MS_MAX } from '../../domain/exchange-limits'
import { failureOf, hashOfRequest, type Kind, type UpstreamCall, type WholeAnswer } from '../../engine/kind'
import { elevenLabsKey, elevenLabsRefusal } from '../elevenlabs'
import { encodeForm, type FormRequest } from '../form'
import { type AudioServices, findAudioModel } from '../kind-services'
import {
  askedFormat,
  readTranscription,
  TRANSCRIPTION_REQUEST_BYTES_MAX,
  type TranscriptionRequest,
} from './contract'
import { countRecording, type RecordingCount } from './recording-count'

/** An hour of recording takes a minute or two to transcribe. */
const TRANSCRIPTION_TIMES: AnswerTimes = {
  firstByteTimeoutMs: WHOLE_ANSWER_MS_MAX,
  betweenBytesTimeoutMs: 60_000,
  bodyTimeoutMs: WHOLE_ANSWER_MS_MAX,
}

/** `POST /v1/audio/transcriptions`, priced per begun second of the recording, or per token. */
export function transcriptionKind(services: AudioServices): Kind {
  return {
    queryType: 'transcription',
    body: { bytesMax: TRANSCRIPTION_REQUEST_BYTES_MAX, content: 'bytes' },
    contentHash: (body, contentType) => hashOf(readTranscription(body, contentType)),
    async quote({ body, contentType }) {
      const named = readTranscription(body, contentType)
      const { model, upstreams } = await findAudioModel(services, named.fields.model, 'transcription')
      const request = { ...named, fields: { ...named.fields, model: model.id } }
      const measured = boundSeconds(request.recording.bytes)
      if (measured.outcome === 'refused') {
        throw new ApiError('unprocessable', measured.reason, { param: 'file' })
      }
      const { secondCount: secondCountMax, extension } = measured
      // Upstreams go by the extension, so it is that of the measured format, whatever the file was called.
      const fileName = `recording.${extension}`
      const count = countRecording(model, request.fields.prompt ?? '', secondCountMax)
      const { boundNano } = count
      const callFor = () => listening(services, { request, fileName, secondCountMax, count })
      return {
        modelId: model.id,
        priceSnapshot: priceSnapshot(model.prices),
        requestHash: hashOf(named),
        boundNano,
        minimumNano: boundNano,
        estimated: async () => ({
          leastNano: minNano(await count.probableNano(), boundNano),
          isGuess: false,
          boundFor: () => boundNano,
          callFor,
        }),
        isFree: costsNothing(model.prices),
        ignoredFields: request.ignoredFields,
        upstreams,
        times: { ...TRANSCRIPTION_TIMES, ...services.times },
        callFor,
      }
    },
  }
}

interface Listening {
  request: TranscriptionRequest
  fileName: string
  secondCountMax: number
  count: RecordingCount
}

function listening({ elevenLabs }: AudioServices, held: Listening): UpstreamCall {
  const { request, fileName, count } = held
  return {
    requestTo(upstream) {
      const isElevenLabs = upstream === elevenLabs
      const fields = isElevenLabs ? elevenLabsFields(request) : openAiFields(request)
      const form = encodeForm(fields, [{ name: 'file', fileName, ...request.recording }])
      const headers = { 'content-type': form.contentType, accept: 'application/json' }
      return isElevenLabs
        ? { ...elevenLabsKey(upstream, headers), path: '/v1/speech-to-text', body: form.body }
        : { upstream, headers, path: '/audio/transcriptions', body: form.body }
    },
    open: (_response, upstream) => ({
      form: 'whole',
      read(bytes) {
        const body = parseJsonObject(bytes.toString('utf8'))
        const transcript = upstream === elevenLabs ? mapElevenLabsTranscript(body) : mapOpenAiTranscript(body)
        const usage = upstream === elevenLabs ? null : body?.usage
        const evidence = () => count.evidence({ transcript, usage, cost: readCost(usage) })
        const error = errorIn(body)
        if (error !== null) throw failureOf(inBandRefusal(error, upstream), evidence())
        if (transcript) return { evidence, write: writing(held, transcript) }
        const message = 'The upstream sent something that is not a transcript.'
        throw failureOf(new UpstreamFailure('refused', message, { mayBill: true }), evidence())
      },
    }),
    refusal: (failure, upstream) =>
      upstream === elevenLabs
        ? elevenLabsRefusal(failure, 'ElevenLabs does not have this model.', 'model')
        : failure,
    costWithoutAnswer: count.withoutAnswer,
  }
}

/** A transcript in the requested format, with the charge. */
function writing(
  { request, count, secondCountMax }: Listening,
  transcript: Transcript,
): WholeAnswer['write'] {
  return ({ charge, settlement }) => {
    const { response_format: format } = request.fields
    const usage = count.usageOf(charge.counts)
    const secondCount = usage.type === 'duration' ? usage.seconds : secondCountMax
    const headers = { 'x-cost-usd': formatUsd(settlement.chargedNano) }
    if (format === 'text' || format === 'srt' || format === 'vtt') {
      const text = format === 'text' ? transcript.text : writeSubtitles(transcript, { format, secondCount })
      return { contentType: 'text/plain; charset=utf-8', body: Buffer.from(text), headers }
    }
    const { text, language, durationSeconds, more } = transcript
    const verbose = {
      task: 'transcribe',
      language: language ?? '',
      duration: durationSeconds ?? secondCount,
      ...more,
    }
    const charged = { ...usage, ...chargeFields(settlement) }
    // The only thing besides that `include[]` asks for.
    const { logprobs } = more
    const short = logprobs === undefined ? {} : { logprobs }
    const body = { ...(format === 'verbose_json' ? verbose : short), text, usage: charged }
    return { contentType: 'application/json', body: Buffer.from(JSON.stringify(body)), headers }
  }
}

function openAiFields(request: TranscriptionRequest): FormRequest['texts'] {
  const { response_format: _format, stream: _stream, ...fields } = request.fields
  return [...textEntries(fields), ['response_format', askedFormat(request.fields)], ...request.otherFields]
}

/** ElevenLabs has no prompt. */
function elevenLabsFields({ fields }: TranscriptionRequest): [string, string][] {
  const { model, language, temperature } = fields
  return textEntries({ model_id: elevenLabsModelId(model), language_code: language, temperature })
}

function textEntries(fields: Record<string, unknown>): [string, string][] {
  return Object.entries(fields).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' ? [[name, value]] : [],
  )
}

/** A retry has another boundary but the same content. */
function hashOf({ fields, otherFields, recording }: TranscriptionRequest): string {
  const texts = JSON.stringify([Object.entries(fields).sort(), otherFields])
  return hashOfRequest(`transcription\n${texts.length}\n${texts}`, recording.bytes)
}
