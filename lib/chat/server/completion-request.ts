import 'server-only'
import { ApiError } from '@/lib/http/api-error'
import { requireCredential } from '@/lib/http/credential'
import { readBody } from '@/lib/http/read-body'
import { readIdempotencyKey } from '@/lib/ledger/server/metering/read-idempotency-key'
import { REQUEST_BYTES_MAX } from '../domain/exchange-limits'
import type { CompleteInput } from './complete'
import type { ExchangeReply } from './exchange-reply'
import type { ResumeInput } from './resume'
import { readResumeKey } from './resume-key'
import type { StopInput } from './stop'

/** An exchange's id, or the resume name that stands for it. */
const NAME_PATTERN = /^[\w-]{1,128}$/
/** Whole numbers as far as they are exact. */
const EVENT_NUMBER_PATTERN = /^\d{1,15}$/

/** @throws ApiError invalid_credential, invalid_request, request_too_large */
export async function readCompleteInput(request: Request): Promise<CompleteInput> {
  const { headers } = request
  return {
    credential: requireCredential(headers),
    idempotencyKey: readIdempotencyKey(headers),
    resumeKey: readResumeKey(headers),
    body: await readBody(request, REQUEST_BYTES_MAX),
    signal: request.signal,
  }
}

/** @throws ApiError invalid_credential, invalid_request, not_found */
export function readResumeInput(request: Request, name: string): ResumeInput {
  const { headers } = request
  return {
    credential: requireCredential(headers),
    name: readName(name),
    resumeKey: readResumeKey(headers),
    lastEventId: readLastEventId(headers),
    signal: request.signal,
  }
}

/** @throws ApiError invalid_credential, not_found */
export function readStopInput(request: Request, name: string): StopInput {
  return { credential: requireCredential(request.headers), name: readName(name) }
}

export function replyResponse({ status, headers, body }: ExchangeReply): Response {
  return new Response(body, { status, headers })
}

function readName(name: string): string {
  if (NAME_PATTERN.test(name)) return name
  throw new ApiError('not_found', 'There is no such answer.')
}

function readLastEventId(headers: Headers): number {
  const given = headers.get('last-event-id')
  if (given === null || given === '') return 0
  if (EVENT_NUMBER_PATTERN.test(given)) return Number(given)
  throw new ApiError('invalid_request', 'Last-Event-ID is not valid: expected the number of an event.', {
    param: 'last-event-id',
  })
}
