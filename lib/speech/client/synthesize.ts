import { ApiCallError } from '@/lib/http/client/call-api'
import { type AudioReceipt, buyAudio, type Payment } from './paid-audio'

const SPEECH_PATH = '/v1/audio/speech'
/** A slow provider takes half a minute for a minute of speech; after this long the person gets an error. */
const TIMEOUT_MS = 90_000

export interface SynthesisRequest extends Payment {
  readonly modelId: string
  readonly voiceId: string
  readonly text: string
}

export interface Synthesis extends AudioReceipt {
  readonly audio: Blob
}

/** Converts text to sound. @throws ApiCallError if it is refused; UnknownOutcomeError if the outcome is unknown */
export async function synthesize({
  modelId: model,
  voiceId: voice,
  text: input,
  ...paid
}: SynthesisRequest): Promise<Synthesis> {
  const body = JSON.stringify({ model, voice, input })
  // The page presents its price as approximate.
  const purchase = { ...paid, mostUsd: null, path: SPEECH_PATH, body, timeoutMs: TIMEOUT_MS }
  const [audio, receipt] = await buyAudio(purchase, response => response.blob())
  if (audio.size === 0) throw new ApiCallError('upstream_error')
  return { audio, ...receipt }
}
