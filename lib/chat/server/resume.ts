import 'server-only'
import { timingSafeEqual } from 'node:crypto'
import { ApiError } from '@/lib/http/api-error'
import { hashSecret } from '@/lib/http/credential'
import type { Credential } from '@/lib/ledger/domain/ledger'
import { loadReplay } from '@/lib/ledger/server/metering/load-replay'
import { askLedger } from '@/lib/ledger/server/metering/place-hold'
import type { ExchangeContext } from './exchange-context'
import { answerReply, type ExchangeReply, replyOf } from './exchange-reply'
import { keptAnswer } from './kept-answer'
import { lookUntil } from './look-until'
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
  await waitForOwner(context, { ...input, accountId, resumeName: resumeNameOf(resumeKey) })
  const secret = { kind: 'resume' as const, secret: resumeKey }
  const kept = await askLedger(() => loadReplay(context.replayStore, { name, accountId, secret }))
  if (kept)
    return answerReply({ exchangeId: kept.exchangeId, answer: keptAnswer(kept), afterEvent: lastEventId })
  throw new ApiError('not_found', 'There is no such answer to resume.')
}

/**
 * Another process is still writing the answer: it keeps the whole of it for everybody when it is done.
 * @throws ApiError conflict with Retry-After while it is not
 */
async function waitForOwner(
  { board, limits }: ExchangeContext,
  input: { name: string; accountId: string; resumeName: string; signal: AbortSignal },
): Promise<void> {
  if (!board) return
  const isOver = async () => {
    const running = await askLedger(() => board.find(input))
    return running && sameText(running.resumeName, input.resumeName) ? null : true
  }
  const over = await lookUntil({
    look: isOver,
    intervalMs: limits.elsewhereLookIntervalMs,
    timeMsMax: limits.elsewhereWaitMs,
    signal: input.signal,
  })
  if (over) return
  throw new ApiError('conflict', 'The answer is still being written. Ask again for the rest of it.', {
    headers: { 'retry-after': '1' },
  })
}

function sameText(left: string | null, right: string): boolean {
  return left !== null && timingSafeEqual(Buffer.from(hashSecret(left)), Buffer.from(hashSecret(right)))
}
