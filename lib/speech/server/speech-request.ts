import 'server-only'
import { requireCredential } from '@/lib/http/credential'
import { readBody } from '@/lib/http/read-body'
import type { MeteredReply } from '@/lib/ledger/server/metering/metered-reply'
import { querySourceOf } from '@/lib/ledger/server/metering/query-source'
import { readIdempotencyKey } from '@/lib/ledger/server/metering/read-idempotency-key'
import { SPEECH_REQUEST_BYTES_MAX, TRANSCRIPTION_REQUEST_BYTES_MAX } from '../domain/speech-limits'
import type { SpeakInput } from './speak'
import type { TranscribeInput } from './transcribe'

/** @throws ApiError invalid_credential, invalid_request, request_too_large */
export function readSpeakInput(request: Request): Promise<SpeakInput> {
  return readInput(request, SPEECH_REQUEST_BYTES_MAX)
}

/** @throws ApiError invalid_credential, invalid_request, request_too_large */
export async function readTranscribeInput(request: Request): Promise<TranscribeInput> {
  const input = await readInput(request, TRANSCRIPTION_REQUEST_BYTES_MAX)
  return { ...input, contentType: request.headers.get('content-type') }
}

async function readInput(request: Request, bytesMax: number): Promise<SpeakInput> {
  const { headers } = request
  return {
    credential: requireCredential(headers),
    idempotencyKey: readIdempotencyKey(headers),
    querySource: querySourceOf(headers),
    body: await readBody(request, bytesMax),
    signal: request.signal,
  }
}

export function meteredResponse({ status, headers, body }: MeteredReply): Response {
  return new Response(body, { status, headers })
}
