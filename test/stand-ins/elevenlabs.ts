import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Nano } from '@/lib/money/nano'
import { listen } from '../support/listen'
import { type Bill, billsOf, type Generation } from './upstream-bill'
import { type Exchange, sendJson } from './upstream-chat'
import { createGates, type Gates } from './upstream-gates'
import { recordRequest } from './upstream-requests'
import { playAnswer, startGeneration } from './upstream-routes'
import type { Answer, RecordedRequest, RouteName } from './upstream-script'

/** The answer of each path; paths that are not named keep their well-behaved answers. */
interface ElevenLabsScript {
  speech?: Answer
  transcript?: Answer
  voices?: Answer
}

export interface StandInElevenLabs {
  /** Without a version segment, like the real one's. */
  baseUrl: string
  apiKey: string
  requests: RecordedRequest[]
  gates: Gates
  /** Replaces the script from the next request on, and resets the gates. */
  setScript(script: ElevenLabsScript): void
  /** The bills for the requests since the script was set, and their sum. */
  bills(): { bills: Bill[]; billedNano: Nano }
  close(): Promise<void>
}

/** A voice as described by `GET /v2/voices`, reduced to the fields that are read. */
export const STAND_IN_VOICES = [
  voice('JBFqnCBsd6RMkjVDRZzb', 'George', 'Warm resonance that instantly captivates listeners.'),
  voice('EXAVITQu4vr4xnSDxMaL', 'Sarah', 'Young adult woman with a confident and warm tone.'),
  { ...voice('pNInz6obpgDQGcFmaJgB', 'Adam', ''), preview_url: 'http://insecure.example/adam.mp3' },
  { ...voice('cHaRgEsOnCeOnly00000', 'Iris', ''), sharing: { rate: 1, fiat_rate: null } },
  { ...voice('cHaRgEsThReEtImEs000', 'Orson', ''), sharing: { rate: 3, fiat_rate: null } },
  { ...voice('cHaRgEsInDoLlArS0000', 'Vera', ''), sharing: { rate: 1, fiat_rate: 0.4 } },
]
/** From its library: a paying account can use it without adding it, at whatever price its owner sets. */
const LIBRARY_VOICE_ID = 'nObOdYsLiStEdVoIcE00'
const PAGE_SIZE = 3
/** `TextToSpeechStreamRequestOutputFormat` of ElevenLabs' own clients has no WAV, which begins with its length. */
const NOT_STREAMED = 'WAV is not an output format of streams.'
/** By the character and by the second; the whole text is billed as soon as it is accepted. */
const PRICED_MODELS = [
  { id: 'eleven_v3', pricing: { input_character: '0.0001' } },
  { id: 'eleven_multilingual_v2', pricing: { input_character: '0.0001' } },
  { id: 'eleven_flash_v2_5', pricing: { input_character: '0.00005' } },
  { id: 'eleven_turbo_v2_5', pricing: { input_character: '0.00005' } },
  { id: 'scribe_v2', pricing: { input_second: '0.00006112' } },
]

/** Implements ElevenLabs' wire format: its paths, its key header, its errors in `detail`. */
export async function startStandInElevenLabs(apiKey = 'sk_elevenlabs_secret'): Promise<StandInElevenLabs> {
  const requests: RecordedRequest[] = []
  const gates = createGates()
  const generations: Generation[] = []
  let script: ElevenLabsScript = {}
  const server = createServer((request, response) => {
    serve(request, response).catch(error => response.destroy(error))
  })

  async function serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const exchange = await recordRequest(message, response, gates)
    requests.push(exchange.request)
    await answer(exchange, new URL(message.url ?? '/', 'http://stand-in')).finally(exchange.finish)
  }

  async function answer(exchange: Exchange, { pathname, searchParams }: URL): Promise<void> {
    const { response, request } = exchange
    if (request.headers['xi-api-key'] !== apiKey) {
      return refuse(response, 401, 'invalid_api_key', 'Invalid API key')
    }
    const asked = `${request.method} ${pathname}`
    const spoken = /^POST \/v1\/text-to-speech\/([\w-]+)\/stream$/.exec(asked)
    if (spoken) {
      const isContainer = searchParams.get('output_format')?.startsWith('wav_') === true
      if (isContainer) return refuse(response, 422, 'invalid_output_format', NOT_STREAMED)
      return speak(exchange, spoken[1] ?? '')
    }
    if (asked === 'POST /v1/speech-to-text') {
      return play(exchange, 'transcriptions', { body: TRANSCRIPT, ...script.transcript })
    }
    if (asked !== 'GET /v2/voices') return refuse(response, 404, 'not_found', 'Not Found')
    if (script.voices) return sendJson(response, script.voices, script.voices.body)
    const start = Number(searchParams.get('next_page_token') ?? '0')
    const next = start + PAGE_SIZE
    const hasMore = next < STAND_IN_VOICES.length
    sendJson(
      response,
      {},
      {
        voices: STAND_IN_VOICES.slice(start, next),
        has_more: hasMore,
        total_count: STAND_IN_VOICES.length,
        next_page_token: hasMore ? String(next) : null,
      },
    )
  }

  async function play(exchange: Exchange, route: RouteName, answer: Answer): Promise<void> {
    const { request } = exchange
    const generation = startGeneration({ id: '', route, request, models: PRICED_MODELS, host: {} })
    if (generation === null) return
    generations.push(generation)
    await playAnswer(exchange, answer, generation, { models: [], generations: new Map() })
  }

  async function speak(exchange: Exchange, voiceId: string): Promise<void> {
    const answer = script.speech ?? {}
    if (answer.body === undefined && !isKnown(voiceId)) {
      const message = `A voice with the voice_id ${voiceId} was not found.`
      return refuse(exchange.response, 404, 'voice_not_found', message)
    }
    await play(exchange, 'speech', { ...answer, headers: { 'character-cost': '12', ...answer.headers } })
  }

  const { port, stop } = await listen(server)
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    apiKey,
    requests,
    gates,
    setScript(next) {
      script = next
      requests.length = 0
      generations.length = 0
      gates.reset()
    },
    bills: () => billsOf(generations),
    async close() {
      gates.reset()
      await stop()
    },
  }
}

function isKnown(voiceId: string): boolean {
  return voiceId === LIBRARY_VOICE_ID || STAND_IN_VOICES.some(({ voice_id }) => voice_id === voiceId)
}

/** In the format of `POST /v1/speech-to-text`. */
const TRANSCRIPT = {
  language_code: 'eng',
  language_probability: 0.98,
  text: 'Hello there.',
  words: [
    { text: 'Hello', start: 0.1, end: 0.6, type: 'word', logprob: -0.1 },
    { text: ' ', start: 0.6, end: 0.7, type: 'spacing', logprob: 0 },
    { text: 'there.', start: 0.7, end: 2.4, type: 'word', logprob: -0.2 },
  ],
}

function voice(id: string, name: string, description: string) {
  return {
    voice_id: id,
    name,
    category: 'premade',
    labels: { accent: 'american', age: 'young', gender: 'female', language: 'en' },
    description,
    preview_url: `https://storage.example/${id}.mp3`,
    available_for_tiers: [],
  }
}

function refuse(response: ServerResponse, status: number, code: string, message: string): void {
  sendJson(response, { status }, { detail: { status: code, message } })
}
