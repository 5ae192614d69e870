import 'server-only'
import type { IncomingMessage } from 'node:http'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import { parseJsonObject } from '@/lib/http/upstream/json-object'
import { readRefusal } from '@/lib/http/upstream/read-refusal'
import { readUpstreamBody } from '@/lib/http/upstream/read-upstream-body'
import { sendUpstream } from '@/lib/http/upstream/send-upstream'
import { UpstreamFailure } from '@/lib/http/upstream/upstream-failure'
import { elevenLabsModelId } from '../domain/elevenlabs-models'
import { type SpeechLimits, TRANSCRIPT_BYTES_MAX } from '../domain/speech-limits'
import { mapElevenLabsTranscript, mapOpenAiTranscript, type Transcript } from '../domain/transcript'
import { askedFormat } from '../domain/transcription-request'
import { askElevenLabs } from './ask-elevenlabs'
import { encodeForm } from './encode-form'
import type { TranscriptionRequest } from './read-transcription'

interface OpenInput {
  request: TranscriptionRequest
  limits: SpeechLimits
  signal: AbortSignal
}

export interface OpenedTranscript {
  upstreamId: string
  transcript: Transcript
}

/** `POST /audio/transcriptions` of an OpenAI-compatible upstream. @throws UpstreamFailure */
export async function openOpenAiTranscript(
  upstream: UpstreamSettings,
  { request, limits, signal }: OpenInput,
): Promise<OpenedTranscript> {
  const { response_format: _format, stream: _stream, ...fields } = request.fields
  const form = encodeForm(
    [...textEntries(fields), ['response_format', askedFormat(request.fields)], ...request.otherFields],
    request.recording,
  )
  const response = await sendUpstream({
    upstream,
    path: '/audio/transcriptions',
    body: form.body,
    headers: { 'content-type': form.contentType, accept: 'application/json' },
    connectTimeoutMs: limits.connectTimeoutMs,
    firstByteTimeoutMs: limits.transcriptTimeoutMs,
    signal,
  })
  if (response.statusCode !== 200) throw await readRefusal(response, upstream, signal)
  return opened(upstream, mapOpenAiTranscript(await readJson(response, limits, signal)))
}

/** `POST /v1/speech-to-text` of ElevenLabs, which takes no prompt. @throws UpstreamFailure */
export async function openElevenLabsTranscript(
  elevenLabs: UpstreamSettings,
  { request, limits, signal }: OpenInput,
): Promise<OpenedTranscript> {
  const { model, language, temperature } = request.fields
  const fields = { model_id: elevenLabsModelId(model), language_code: language, temperature }
  const form = encodeForm(textEntries(fields), request.recording)
  const response = await askElevenLabs(elevenLabs, {
    path: '/v1/speech-to-text',
    body: form.body,
    headers: { 'content-type': form.contentType, accept: 'application/json' },
    connectTimeoutMs: limits.connectTimeoutMs,
    firstByteTimeoutMs: limits.transcriptTimeoutMs,
    signal,
    notFound: { message: 'There is no such model at ElevenLabs.', param: 'model' },
  })
  return opened(elevenLabs, mapElevenLabsTranscript(await readJson(response, limits, signal)))
}

function opened({ id }: UpstreamSettings, transcript: Transcript | null): OpenedTranscript {
  if (transcript) return { upstreamId: id, transcript }
  throw new UpstreamFailure('refused', 'The upstream answered with something else than a transcript.')
}

async function readJson(response: IncomingMessage, limits: SpeechLimits, signal: AbortSignal) {
  const timeoutMs = limits.transcriptTimeoutMs
  const bytes = await readUpstreamBody(response, { bytesMax: TRANSCRIPT_BYTES_MAX, timeoutMs, signal })
  return parseJsonObject(bytes.toString('utf8'))
}

function textEntries(fields: Record<string, unknown>): [string, string][] {
  return Object.entries(fields).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' ? [[name, value]] : [],
  )
}
