import 'server-only'
import { ApiError } from '@/lib/http/api-error'
import { requireCredential } from '@/lib/http/credential'
import { readBody } from '@/lib/http/read-body'
import type { Credential, ExchangeDetail } from '@/lib/ledger/domain/ledger'
import { querySourceOf } from '@/lib/ledger/server/metering/query-source'
import { readIdempotencyKey } from '@/lib/ledger/server/metering/read-idempotency-key'
import { REQUEST_BYTES_MAX } from '../domain/image-limits'

export interface GenerateInput {
  credential: Credential
  /** The request's JSON, as it came. */
  body: Uint8Array
  idempotencyKey: string | null
  querySource: ExchangeDetail['querySource']
  /** Aborted when the client leaves. */
  signal: AbortSignal
}

/** @throws ApiError invalid_credential, invalid_request, request_too_large */
export async function readGenerateInput(request: Request): Promise<GenerateInput> {
  const { headers } = request
  return {
    credential: requireCredential(headers),
    idempotencyKey: readIdempotencyKey(headers),
    querySource: querySourceOf(headers),
    body: await readBody(request, REQUEST_BYTES_MAX),
    signal: request.signal,
  }
}

export interface StopGenerationInput {
  credential: Credential
  idempotencyKey: string
}

/** @throws ApiError invalid_credential, invalid_request */
export function readStopGenerationInput({ headers }: Request): StopGenerationInput {
  const credential = requireCredential(headers)
  const idempotencyKey = readIdempotencyKey(headers)
  if (idempotencyKey !== null) return { credential, idempotencyKey }
  throw new ApiError('invalid_request', 'Idempotency-Key is missing: it names the request to stop.', {
    param: 'idempotency-key',
  })
}
