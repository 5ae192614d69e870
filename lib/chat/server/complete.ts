import 'server-only'
import { createHash } from 'node:crypto'
import { ApiError } from '@/lib/http/api-error'
import { parseJson } from '@/lib/http/read-body'
import type { Credential } from '@/lib/ledger/domain/ledger'
import { restarting } from '@/lib/ledger/server/metering/restarting'
import { chatRequestSchema } from '../domain/chat-request'
import { beginExchange } from './begin-exchange'
import { completeOnce, type PendingAnswers } from './complete-once'
import type { ExchangeContext } from './exchange-context'
import { type ExchangeReply, replyOf } from './exchange-reply'
import { resumeNameOf } from './resume-key'

export interface CompleteInput {
  credential: Credential
  /** The request's JSON, as it came. */
  body: Uint8Array
  idempotencyKey: string | null
  resumeKey: string | null
  /** Aborted when the client leaves. */
  signal: AbortSignal
}

/** `POST /v1/chat/completions`. @throws ApiError */
export async function complete(
  context: ExchangeContext,
  pending: PendingAnswers,
  input: CompleteInput,
): Promise<ExchangeReply> {
  if (context.isDraining()) throw restarting()
  const { credential, idempotencyKey, resumeKey, signal } = input
  const request = parseJson(input.body, chatRequestSchema)
  const begin = {
    credential,
    request,
    requestHash: createHash('sha256').update(input.body).digest('hex'),
    replayKeys: {
      resumeKey,
      resumeName: resumeKey === null ? null : resumeNameOf(resumeKey),
      idempotencyKey,
    },
  }
  if (idempotencyKey !== null) return completeOnce(context, pending, { ...begin, idempotencyKey, signal })
  const begun = await beginExchange(context, { ...begin, idempotencyKeyHash: null })
  if (begun.outcome === 'begun') return replyOf(begun.exchange, { afterEvent: 0, signal })
  throw new ApiError('conflict', 'The request is already being answered.')
}
