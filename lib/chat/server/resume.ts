import 'server-only'
import { timingSafeEqual } from 'node:crypto'
import { ApiError } from '@/lib/http/api-error'
import { hashSecret } from '@/lib/http/credential'
import type { Credential } from '@/lib/ledger/domain/ledger'
import type { ExchangeContext } from './exchange-context'
import { answerReply, type ExchangeReply, replyOf } from './exchange-reply'
import { loadReplay } from './load-replay'
import { askLedger } from './place-hold'
import { requireOwner } from './require-owner'
import { resumeNameOf } from './resume-key'

export interface ResumeInput {
  credential: Credential
  /** The exchange's id or its resume name. */
  name: string
  resumeKey: string | null
  /** The number of the last event that the reader has; 0 for none. */
  lastEventId: number
  signal: AbortSignal
}

/** The rest of an interrupted answer, still running or kept. @throws ApiError */
export async function resume(context: ExchangeContext, input: ResumeInput): Promise<ExchangeReply> {
  const { name, resumeKey, lastEventId } = input
  const accountId = await requireOwner(context.ledger, input.credential)
  if (resumeKey === null)
    throw new ApiError('invalid_request', 'X-Resume-Key is missing.', { param: 'x-resume-key' })
  const exchange = context.owners.find(name)
  if (exchange?.accountId === accountId && sameText(exchange.resumeName, resumeNameOf(resumeKey))) {
    return replyOf(exchange, { afterEvent: lastEventId, signal: input.signal })
  }
  const secret = { kind: 'resume' as const, secret: resumeKey }
  const kept = await askLedger(() => loadReplay(context.replayStore, { name, accountId, secret }))
  if (kept) return answerReply({ ...kept, afterEvent: lastEventId })
  throw new ApiError('not_found', 'There is no such answer to resume.')
}

function sameText(left: string | null, right: string): boolean {
  return left !== null && timingSafeEqual(Buffer.from(hashSecret(left)), Buffer.from(hashSecret(right)))
}
