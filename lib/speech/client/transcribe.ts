import { ApiCallError, textOf } from '@/lib/http/client/call-api'
import { type AudioReceipt, buyAudio, type Payment } from './paid-audio'

const TRANSCRIPTION_PATH = '/v1/audio/transcriptions'
/** On a slow line ten minutes of speech take a minute to upload, and another to be transcribed. */
const TIMEOUT_MS = 180_000

export interface TranscriptionOrder extends Payment {
  readonly modelId: string
  readonly audio: Blob
  /** The maximum price that the person was shown, in decimal dollars; null if none was. */
  readonly mostUsd: string | null
}

export interface WrittenSpeech extends AudioReceipt {
  /** Empty if no words were heard. */
  readonly text: string
}

/** Converts sound to text. @throws ApiCallError if it is refused; UnknownOutcomeError if the outcome is unknown */
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
