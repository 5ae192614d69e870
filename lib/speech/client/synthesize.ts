import { ApiCallError } from '@/lib/http/client/call-api'
import { type AudioReceipt, buyAudio, type Payment } from './paid-audio'

const SPEECH_PATH = '/v1/audio/speech'
/** A minute of speech takes a slow provider about half of one; after this the person is told. */
const TIMEOUT_MS = 90_000

export interface SynthesisRequest extends Payment {
  readonly modelId: string
  readonly voiceId: string
  readonly text: string
}

export interface Synthesis extends AudioReceipt {
  readonly audio: Blob
}

/** Words as sound. @throws ApiCallError when it is refused; UnknownOutcomeError when nothing is known */
export async function synthesize({
  modelId: model,
  voiceId: voice,
  text: input,
  ...paid
}: SynthesisRequest): Promise<Synthesis> {
  const body = JSON.stringify({ model, voice, input })
  // The page says that what it shows is about what it costs.
  const purchase = { ...paid, mostUsd: null, path: SPEECH_PATH, body, timeoutMs: TIMEOUT_MS }
  const [audio, receipt] = await buyAudio(purchase, response => response.blob())
  if (audio.size === 0) throw new ApiCallError('upstream_error')
  return { audio, ...receipt }
}
