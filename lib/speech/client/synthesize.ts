import { ApiCallError, fieldOf } from '@/lib/http/client/call-api'
import { watchedFetch } from '@/lib/http/client/watched-fetch'

const SPEECH_PATH = '/v1/audio/speech'
/** A minute of speech takes a slow provider about half of one; after this the person is told. */
const TIMEOUT_MS = 90_000

export interface SynthesisRequest {
  /** Bearer secret: header only, never in an address. */
  readonly creditId: string
  readonly modelId: string
  readonly voiceId: string
  readonly text: string
  /** The same for every attempt at the same words, so that a repeat is not charged again. */
  readonly idempotencyKey: string
}

export interface Synthesis {
  readonly audio: Blob
  /** By which the usage list knows the call; null when the server does not say. */
  readonly exchangeId: string | null
  /** Decimal dollars charged; null when it was not known before the audio came. */
  readonly costUsd: string | null
}

/** The server has not said how the call ended: it may have been charged, so only its key may be used again. */
export class UnknownOutcomeError extends ApiCallError {}

/** Words as sound. @throws ApiCallError when it is refused; UnknownOutcomeError when nothing is known */
export async function synthesize(request: SynthesisRequest): Promise<Synthesis> {
  const response = await post(request)
  if (!response.ok) throw await refusalOf(response)
  const audio = await readAudio(response)
  return {
    audio,
    exchangeId: response.headers.get('x-exchange-id'),
    costUsd: response.headers.get('x-cost-usd'),
  }
}

async function post({ creditId, modelId, voiceId, text, idempotencyKey }: SynthesisRequest) {
  try {
    return await watchedFetch(SPEECH_PATH, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${creditId}`,
        'content-type': 'application/json',
        'idempotency-key': idempotencyKey,
      },
      body: JSON.stringify({ model: modelId, voice: voiceId, input: text }),
      cache: 'no-store',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
  } catch (cause) {
    throw new UnknownOutcomeError('network', { cause })
  }
}

async function readAudio(response: Response): Promise<Blob> {
  let audio: Blob
  try {
    audio = await response.blob()
  } catch (cause) {
    throw new UnknownOutcomeError('network', { cause })
  }
  if (audio.size === 0) throw new ApiCallError('upstream_error')
  return audio
}

/** The server's own error is its last word; one of a proxy, or of a call that still runs, is not. */
async function refusalOf(response: Response): Promise<ApiCallError> {
  const code = fieldOf(fieldOf(await response.json().catch(() => null), 'error'), 'code')
  if (typeof code !== 'string') return new UnknownOutcomeError('unknown')
  const stillRuns = response.status === 409 && response.headers.has('retry-after')
  return stillRuns ? new UnknownOutcomeError(code) : new ApiCallError(code)
}
