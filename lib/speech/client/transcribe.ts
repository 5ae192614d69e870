import { ApiCallError, textOf } from '@/lib/http/client/call-api'
import { type AudioReceipt, buyAudio, type Payment } from './paid-audio'

const TRANSCRIPTION_PATH = '/v1/audio/transcriptions'
/** Ten minutes of speech go up a slow line in one, and are written down in another. */
const TIMEOUT_MS = 180_000

export interface TranscriptionOrder extends Payment {
  readonly modelId: string
  readonly audio: Blob
  /** What the person was told that it costs at the most, in decimal dollars; null where nothing was said. */
  readonly mostUsd: string | null
}

export interface WrittenSpeech extends AudioReceipt {
  /** Empty where no words were heard. */
  readonly text: string
}

/** Sound as words. @throws ApiCallError when it is refused; UnknownOutcomeError when nothing is known */
export async function transcribe({ modelId, audio, ...paid }: TranscriptionOrder): Promise<WrittenSpeech> {
  const body = new FormData()
  body.append('model', modelId)
  body.append('file', audio)
  const purchase = { ...paid, path: TRANSCRIPTION_PATH, body, timeoutMs: TIMEOUT_MS }
  const [answer, receipt] = await buyAudio(purchase, response => response.json())
  const text = textOf(answer, 'text')
  if (text === null) throw new ApiCallError('upstream_error')
  return { text: text.trim(), ...receipt }
}
