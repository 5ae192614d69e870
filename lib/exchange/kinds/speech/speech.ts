import 'server-only'
import { estimateTokens } from '@/lib/catalogue/domain/estimate-tokens'
import type { Model } from '@/lib/catalogue/domain/model'
import { OPENAI_VOICES } from '@/lib/catalogue/domain/openai-voices'
import { priceSnapshot } from '@/lib/catalogue/domain/price-snapshot'
import type { TokenCounter } from '@/lib/catalogue/domain/prompt-tokens'
import { costsNothing } from '@/lib/catalogue/domain/usable-prices'
import { boundTokens, countTokens } from '@/lib/catalogue/tokenizer/count-tokens'
import { ApiError } from '@/lib/http/api-error'
import { formatUsd } from '@/lib/money/nano'
import { priceSpeech, spokenPart } from '@/lib/speech/domain/speech-cost'
import { wavHeader } from '@/lib/speech/domain/wav-header'
import { UpstreamFailure } from '@/lib/upstream/ask-upstreams'
import { createEventCarry, eventData, nextBoundary } from '@/lib/upstream/event-stream'
import { parseJsonObject } from '@/lib/upstream/read-body'
import { errorIn } from '@/lib/upstream/read-refusal'
import { type Counted, NO_COUNTS } from '../../domain/decide-charge'
import type { AnswerTimes } from '../../domain/exchange-limits'
import { hashOfRequest, type Kind, type StreamReader, type UpstreamCall } from '../../engine/kind'
import { elevenLabsKey, elevenLabsRefusal } from '../elevenlabs'
import { type AudioServices, findAudioModel } from '../kind-services'
import {
  BYTES_PER_SECOND,
  readSpeechRequest,
  SPEECH_REQUEST_BYTES_MAX,
  type SpeechRequest,
  soundType,
} from './contract'
import { convertElevenLabsSpeech, DEFAULT_VOICE_ID, PCM_SAMPLES_PER_SECOND } from './elevenlabs-speech'
import { voiceOf } from './voice'

/** A long text takes some seconds until its first sound; after a minute the connection counts as dead. */
const SPEECH_TIMES: AnswerTimes = {
  firstByteTimeoutMs: 60_000,
  betweenBytesTimeoutMs: 30_000,
  bodyTimeoutMs: 60_000,
}

/** `POST /v1/audio/speech`: streamed, at a price that is known in advance. */
export function speechKind(services: AudioServices): Kind {
  return {
    queryType: 'speech',
    body: { bytesMax: SPEECH_REQUEST_BYTES_MAX, content: 'json' },
    async quote({ body, json, requireCredit }) {
      const { request: named, ignoredFields } = readSpeechRequest(await json())
      const { model, upstreams } = await findAudioModel(services, named.model, 'speech')
      const asked = { ...named, model: model.id }
      if (upstreams.some(upstream => upstream === services.elevenLabs))
        await requireListedVoice(services, asked)
      else requirePricedVoice(model, asked)
      // ElevenLabs has no instructions, so they are neither sent nor charged.
      const isRead = upstreams.some(upstream => upstream !== services.elevenLabs)
      const request = isRead ? asked : { ...asked, instructions: null }
      const count: TokenCounter = async texts => {
        if (!requireCredit) return boundTokens(texts)
        const about = await priceOf(model, request, async ([text = '']) => estimateTokens(text))
        await requireCredit(about.costNano)
        return countTokens(texts)
      }
      const price = await priceOf(model, request, count)
      return {
        modelId: model.id,
        priceSnapshot: priceSnapshot(model.prices),
        requestHash: hashOfRequest('speech\n', body),
        boundNano: price.costNano,
        minimumNano: price.costNano,
        isFree: costsNothing(model.prices),
        ignoredFields,
        upstreams,
        times: { ...SPEECH_TIMES, ...services.times },
        callFor: () => speaking(services, { request, model, price }),
      }
    },
  }
}

/**
 * ElevenLabs accepts any voice of its library. Some cost several times their model's price, which no hold covers.
 * @throws ApiError invalid_request
 */
async function requireListedVoice({ listVoices }: AudioServices, request: SpeechRequest): Promise<void> {
  const voiceId = voiceOf(request) ?? DEFAULT_VOICE_ID
  if (voiceId === DEFAULT_VOICE_ID) return
  const voices = await listVoices()
  if (voices.some(({ id, models }) => id === voiceId && models.includes(request.model))) return
  throw notItsVoice()
}

/**
 * Of a model that the operator prices, only the voices that the price holds for. Behind LiteLLM, Google's Studio voices
 * cost ten times as much as its Neural2 voices, and ElevenLabs takes any voice of its library, whatever that costs.
 * https://cloud.google.com/text-to-speech/pricing
 * @throws ApiError invalid_request
 */
function requirePricedVoice({ voices }: Model, request: SpeechRequest): void {
  const voiceId = voiceOf(request)
  if (voices && voiceId !== null && !voices.includes(voiceId)) throw notItsVoice()
}

function notItsVoice(): ApiError {
  const message = 'voice is not valid for this model: GET /v1/audio/voices lists its voices.'
  return new ApiError('invalid_request', message, { param: 'voice' })
}

interface Speaking {
  request: SpeechRequest
  model: Model
  /** Of the whole text. */
  price: Counted
}

function speaking({ elevenLabs }: AudioServices, held: Speaking): UpstreamCall {
  const { request, model, price } = held
  return {
    requestTo(upstream) {
      const headers = { accept: 'audio/*, */*;q=0.1' }
      if (upstream === elevenLabs) {
        const { path, body } = elevenLabsRequest(request)
        return { ...elevenLabsKey(upstream, headers), path, body: encode(body) }
      }
      const [usualVoice] = model.voices ?? OPENAI_VOICES
      const body = { ...request, voice: voiceOf(request) === null ? usualVoice : request.voice }
      return { upstream, headers, path: '/audio/speech', body: encode(body) }
    },
    open(response, upstream) {
      const streamType = soundType(response.headers['content-type'], request.response_format ?? 'mp3')
      if (streamType === null) {
        response.destroy()
        const message = 'The upstream sent something that is not sound.'
        throw new UpstreamFailure('refused', message, { mayBill: true })
      }
      // The samples of a WAV arrive without their header.
      const isBare = upstream === elevenLabs && request.response_format === 'wav'
      const contentType = isBare ? 'audio/wav' : streamType
      const headers = { 'content-type': contentType, 'x-cost-usd': formatUsd(price.costNano) }
      const sound = streamType.startsWith('text/event-stream') ? soundInEvents() : soundInBytes(isBare)
      return { form: 'stream', headers, reader: soundReader(held, sound) }
    },
    refusal: (failure, upstream) =>
      upstream === elevenLabs
        ? elevenLabsRefusal(failure, 'ElevenLabs does not have this voice, or this model.', 'voice')
        : failure,
    costWithoutAnswer: async () => price,
  }
}

interface Sound extends Pick<StreamReader, 'push' | 'flush' | 'error'> {
  /** Something of it has been passed on. */
  readonly hasOutput: boolean
  /** Bytes of sound so far. */
  readonly byteCount: number
}

/** More than an error has. Sound that begins like one waits for this much of it: a third of a second of samples. */
const ERROR_BYTES_MAX = 16 * 1024
const JSON_OBJECT_START = /^\s*(?:\{|$)/

/** Some hosts send an error under the type of sound. It is held back, since it may name the host. */
function soundInBytes(isBare: boolean): Sound {
  let byteCount = 0
  let error: unknown = null
  /** What may still be an error; null behind that. */
  let held: Buffer | null = Buffer.alloc(0)

  function pass(chunk: Buffer): Buffer {
    const isFirst = byteCount === 0
    held = null
    byteCount += chunk.length
    return isBare && isFirst ? Buffer.concat([wavHeader(PCM_SAMPLES_PER_SECOND, null), chunk]) : chunk
  }

  return {
    push(chunk) {
      if (held === null) return pass(chunk)
      held = Buffer.concat([held, chunk])
      const mayBeError = held.length <= ERROR_BYTES_MAX && JSON_OBJECT_START.test(held.toString('latin1'))
      return mayBeError ? null : pass(held)
    },
    flush() {
      if (held === null || held.length === 0) return null
      error = parseJsonObject(held.toString('utf8'))
      return error === null ? pass(held) : null
    },
    get error() {
      return error
    },
    get hasOutput() {
      return byteCount > 0
    },
    get byteCount() {
      return byteCount
    },
  }
}

/** Sound in events, as OpenAI's newer models can send it. An error event is held back, since it may name the host. */
function soundInEvents(): Sound {
  const carry = createEventCarry()
  let error: unknown = null
  let hasOutput = false
  let byteCount = 0

  function take(bytes: Buffer): Buffer | null {
    for (let start = 0; start < bytes.length; ) {
      const end = nextBoundary(bytes, start)
      const event = parseJsonObject(eventData(bytes.subarray(start, end)))
      const told = errorIn(event)
      if (told !== null) {
        error = told
        return start === 0 ? null : bytes.subarray(0, start)
      }
      hasOutput ||= event !== null && event.type !== 'speech.audio.done'
      if (typeof event?.audio === 'string') byteCount += Buffer.byteLength(event.audio, 'base64')
      start = end
    }
    return bytes
  }

  return {
    push(chunk) {
      const bytes = carry.push(chunk)
      return bytes && take(bytes)
    },
    flush() {
      const rest = carry.takeRest()
      return rest && take(Buffer.concat([rest, Buffer.from('\n\n')]))
    },
    get error() {
      return error
    },
    get hasOutput() {
      return hasOutput
    },
    get byteCount() {
      return byteCount
    },
  }
}

/** Vendors bill the whole text, however much of it is heard. So does this site, unless the sound breaks off. */
function soundReader(held: Speaking, sound: Sound): StreamReader {
  return {
    push: sound.push,
    flush: sound.flush,
    get ended() {
      return sound.error === null ? null : 'failed'
    },
    get error() {
      return sound.error
    },
    isComplete: () => sound.hasOutput,
    hasEverything: () => false,
    isCountable: () => true,
    isBilledWhole: true,
    answerId: null,
    evidence: end => ({
      hasOutput: sound.hasOutput,
      reportedCost: null,
      upstreamCount: null,
      isBeyondPossible: false,
      localCount: async () => (end === 'failed' ? heardPart(held, sound.byteCount) : held.price),
      generationId: null,
    }),
    lastWords: ({ end }) => (end.error === null && end.status !== 'stopped' ? Buffer.alloc(0) : null),
  }
}

/** If the upstream broke off half-way, half of the text is charged, though its bill is for the whole. */
async function heardPart({ request, model, price }: Speaking, byteCount: number): Promise<Counted> {
  const text = spokenPart({
    text: request.input,
    byteCount,
    bytesPerSecond: BYTES_PER_SECOND[request.response_format ?? 'mp3'],
    speed: request.speed ?? 1,
  })
  const heard = await priceOf(model, { ...request, input: text })
  return { ...heard, billedNano: price.costNano, isExact: false }
}

async function priceOf(
  { prices }: Model,
  { input, instructions }: Pick<SpeechRequest, 'input' | 'instructions'>,
  counter: TokenCounter = countTokens,
): Promise<Counted> {
  // A host reads the instructions as it does the text, and may bill them in the same way.
  const text = `${instructions ?? ''}${input}`
  const { costNano, unitCount, estimated } = await priceSpeech(prices, text, counter)
  return { costNano, counts: { ...NO_COUNTS, inputTokenCount: unitCount }, isExact: !estimated }
}

/** @throws UpstreamFailure for what ElevenLabs cannot do */
function elevenLabsRequest(request: SpeechRequest) {
  const converted = convertElevenLabsSpeech(request)
  if (converted.outcome === 'converted') return converted
  throw new UpstreamFailure('client_fault', converted.message, { status: 400, param: converted.param })
}

function encode(body: unknown): Buffer {
  return Buffer.from(JSON.stringify(body))
}
