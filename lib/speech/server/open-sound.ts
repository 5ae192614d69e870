import 'server-only'
import type { IncomingMessage } from 'node:http'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import { readRefusal } from '@/lib/http/upstream/read-refusal'
import { sendUpstream } from '@/lib/http/upstream/send-upstream'
import { UpstreamFailure } from '@/lib/http/upstream/upstream-failure'
import { soundType } from '../domain/audio-format'
import { convertElevenLabsSpeech } from '../domain/elevenlabs-speech'
import type { SpeechLimits } from '../domain/speech-limits'
import type { SpeechRequest } from '../domain/speech-request'
import { OPENAI_VOICES, voiceOf } from '../domain/voice'
import { askElevenLabs } from './ask-elevenlabs'

/** An upstream that has begun to speak. */
export interface OpenedSound {
  upstreamId: string
  /** Paused. */
  response: IncomingMessage
  contentType: string
}

interface OpenInput {
  request: SpeechRequest
  limits: SpeechLimits
  signal: AbortSignal
}

/** `POST /audio/speech` of an OpenAI-compatible upstream, the request as it came. @throws UpstreamFailure */
export async function openOpenAiSound(
  upstream: UpstreamSettings,
  { request, limits, signal }: OpenInput,
): Promise<OpenedSound> {
  const body = { ...request, voice: voiceOf(request) === null ? OPENAI_VOICES[0] : request.voice }
  const response = await sendUpstream({
    upstream,
    path: '/audio/speech',
    body: Buffer.from(JSON.stringify(body)),
    headers: { accept: 'audio/*, */*;q=0.1' },
    connectTimeoutMs: limits.connectTimeoutMs,
    firstByteTimeoutMs: limits.firstByteTimeoutMs,
    signal,
  })
  if (response.statusCode !== 200) throw await readRefusal(response, upstream, signal)
  return opened(upstream, response, request)
}

/** The same of ElevenLabs. @throws UpstreamFailure, also for what it cannot do */
export async function openElevenLabsSound(
  elevenLabs: UpstreamSettings,
  { request, limits, signal }: OpenInput,
): Promise<OpenedSound> {
  const converted = convertElevenLabsSpeech(request)
  if (converted.outcome === 'refused') {
    throw new UpstreamFailure('client_fault', converted.message, { status: 400, param: converted.param })
  }
  const response = await askElevenLabs(elevenLabs, {
    path: converted.path,
    body: Buffer.from(JSON.stringify(converted.body)),
    headers: { 'content-type': 'application/json', accept: 'audio/*, */*;q=0.1' },
    connectTimeoutMs: limits.connectTimeoutMs,
    firstByteTimeoutMs: limits.firstByteTimeoutMs,
    signal,
    notFound: { message: 'There is no such voice, or no such model, at ElevenLabs.', param: 'voice' },
  })
  return opened(elevenLabs, response, request)
}

function opened({ id }: UpstreamSettings, response: IncomingMessage, request: SpeechRequest): OpenedSound {
  const contentType = soundType(response.headers['content-type'], request.response_format ?? 'mp3')
  if (contentType !== null) return { upstreamId: id, response, contentType }
  response.destroy()
  throw new UpstreamFailure('refused', 'The upstream answered with something else than sound.')
}
