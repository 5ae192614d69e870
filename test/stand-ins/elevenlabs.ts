import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { recordRequest } from './upstream'
import { AnswerOver, type Exchange, sendJson } from './upstream-chat'
import { createGates, type Gates } from './upstream-gates'
import { playSound } from './upstream-routes'
import type { Answer, RecordedRequest } from './upstream-script'

/** What each path answers; one that is not named keeps its well-behaved answer. */
export interface ElevenLabsScript {
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
  close(): Promise<void>
}

/** A voice as `GET /v2/voices` describes it, shortened to what anybody reads. */
export const STAND_IN_VOICES = [
  voice('JBFqnCBsd6RMkjVDRZzb', 'George', 'Warm resonance that instantly captivates listeners.'),
  voice('EXAVITQu4vr4xnSDxMaL', 'Sarah', 'Young adult woman with a confident and warm tone.'),
  { ...voice('pNInz6obpgDQGcFmaJgB', 'Adam', ''), preview_url: 'http://insecure.example/adam.mp3' },
]
const PAGE_SIZE = 2

/** Speaks ElevenLabs' wire format: its paths, its key header, its errors in `detail`. */
export async function startStandInElevenLabs(apiKey = 'sk_elevenlabs_secret'): Promise<StandInElevenLabs> {
  const requests: RecordedRequest[] = []
  const gates = createGates()
  let script: ElevenLabsScript = {}
  const server = createServer((request, response) => {
    serve(request, response).catch(error => response.destroy(error))
  })

  async function serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const exchange = await recordRequest(message, response, gates)
    requests.push(exchange.request)
    if (exchange.request.headers['xi-api-key'] !== apiKey) {
      return refuse(response, 401, 'invalid_api_key', 'Invalid API key')
    }
    try {
      await answer(exchange, new URL(message.url ?? '/', 'http://stand-in'))
    } catch (error) {
      if (!(error instanceof AnswerOver)) throw error
    }
  }

  async function answer(exchange: Exchange, { pathname, searchParams }: URL): Promise<void> {
    const { response, request } = exchange
    const asked = `${request.method} ${pathname}`
    const spoken = /^POST \/v1\/text-to-speech\/([\w-]+)\/stream$/.exec(asked)
    if (spoken) return speak(exchange, spoken[1] ?? '')
    if (asked === 'POST /v1/speech-to-text') return transcribe(exchange)
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

  async function speak(exchange: Exchange, voiceId: string): Promise<void> {
    const told = script.speech ?? {}
    if (told.body !== undefined) return sendJson(exchange.response, told, told.body)
    if (!STAND_IN_VOICES.some(({ voice_id }) => voice_id === voiceId)) {
      const message = `A voice with the voice_id ${voiceId} was not found.`
      return refuse(exchange.response, 404, 'voice_not_found', message)
    }
    await playSound(exchange, { ...told, headers: { 'character-cost': '12', ...told.headers } })
  }

  async function transcribe({ response }: Exchange): Promise<void> {
    const told = script.transcript ?? {}
    sendJson(response, told, told.body ?? TRANSCRIPT)
  }

  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    apiKey,
    requests,
    gates,
    setScript(next) {
      script = next
      requests.length = 0
      gates.reset()
    },
    async close() {
      gates.reset()
      const closed = new Promise<void>(resolve => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}

/** In the shape of `POST /v1/speech-to-text`. */
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
