import 'server-only'
import { setTimeout as wait } from 'node:timers/promises'
import { uuidTimeMs } from '@/lib/http/domain/uuid'
import { within } from '@/lib/http/domain/within'
import { requireKnown } from '@/lib/http/require-account'
import { isSameSecret } from '@/lib/http/same-secret'
import type { Credential } from '@/lib/ledger/domain/accounts'
import type { Ledger } from '@/lib/ledger/domain/ledger'
import type { Nano } from '@/lib/money/nano'
import { conflictForNow } from './ends'
import type { ExchangeContext } from './exchange-context'
import { askLedger } from './holds'
import { loadReplay } from './replays'
import { type ExchangeReply, keptReply, replyOf } from './reply'
import { noSuchAnswer, resumeNameOf } from './request-headers'
import { whileCounted } from './while-counted'

export interface ResumeInput {
  credential: Credential
  /** The exchange's id, its resume name or, where it runs in this process, the answer's own id. */
  name: string
  resumeKey: string | null
  /** The number of the last event that the reader has; 0 for none. */
  lastEventId: number
  signal: AbortSignal
}

/** The rest of an interrupted answer, whether it is still running or kept. @throws ApiError */
export async function resume(context: ExchangeContext, input: ResumeInput): Promise<ExchangeReply> {
  const { name, resumeKey, lastEventId } = input
  const accountId = await requireOwner(context.ledger, input.credential)
  if (resumeKey === null) throw noSuchAnswer(name)
  const exchange = context.owners.find({ name, accountId })
  if (exchange && sameText(exchange.resumeName, resumeNameOf(resumeKey))) {
    return replyOf(exchange, { afterEvent: lastEventId, signal: input.signal })
  }
  const secret = { kind: 'resume' as const, secret: resumeKey }
  const kept = await pollOtherProcess(context, {
    who: 'newcomer',
    accountId,
    signal: input.signal,
    poll: async () => {
      await waitForOwner(context, { ...input, accountId, resumeName: resumeNameOf(resumeKey) })
      const find = (known: string) => askLedger(() => context.replayStore.find(known))
      return loadReplay({ ...context, replayStore: { find } }, { name, accountId, secret })
    },
    timeMsMax: announcedWithinMs(context, name),
  })
  if (!kept) throw noSuchAnswer(name)
  return keptReply(context, kept, lastEventId)
}

/** Each waiting request costs one query for each poll. No honest client resumes or stops more answers at once. */
const WAITING_PER_ACCOUNT_MAX = { newcomer: 32, reader: 4, stop: 32 } as const

/**
 * Waits while another process is writing the answer, which that process keeps when it is done.
 * @throws ApiError conflict with Retry-After if it is not done in time
 */
async function waitForOwner(
  context: ExchangeContext,
  input: { name: string; accountId: string; resumeName: string; signal: AbortSignal },
): Promise<void> {
  const { board, limits } = context
  if (!board) return
  const over = await pollOtherProcess(context, {
    ...input,
    who: 'reader',
    poll: async () => {
      const running = await askLedger(() => board.find(input))
      return running && sameText(running.resumeName, input.resumeName) ? null : true
    },
    timeMsMax: limits.otherProcessWaitMs,
  })
  if (over) return
  throw conflictForNow('The answer is still being written. Try again shortly to get the rest of it.')
}

/** Polls only once if the account already has too many waiting. */
function pollOtherProcess<Found>(
  { limits, waitingCounts }: ExchangeContext,
  input: Omit<Parameters<typeof pollUntil<Found>>[0], 'intervalMs'> & {
    who: keyof typeof WAITING_PER_ACCOUNT_MAX
    accountId: string
  },
): Promise<Found | null> {
  const { who } = input
  return whileCounted(waitingCounts, `${who} ${input.accountId}`, waitingCount =>
    pollUntil({
      ...input,
      intervalMs: limits.otherProcessPollIntervalMs,
      timeMsMax: waitingCount < WAITING_PER_ACCOUNT_MAX[who] ? input.timeMsMax : 0,
    }),
  )
}

export interface StopInput {
  credential: Credential
  /** The exchange's id, its resume name or, where it runs in this process, the answer's own id. */
  name: string
}

export interface StoppedExchange {
  exchangeId: string
  /** False if the cost is only known at the end of the answer: it is then read to its end, charged, and kept. */
  isStopped: boolean
  /** Null while it is not known. */
  chargedNano: Nano | null
  balanceNano: Nano | null
}

/**
 * Ends a running answer: the upstream is aborted as soon as the cost is known, what was delivered is charged, and
 * the reader gets a proper end.
 * @throws ApiError not_found if no exchange of that name runs for this account
 */
export async function stop(context: ExchangeContext, input: StopInput): Promise<StoppedExchange> {
  const accountId = await requireOwner(context.ledger, input.credential)
  const exchange = context.owners.find({ ...input, accountId })
  if (!exchange) return stopElsewhere(context, { ...input, accountId })
  exchange.stop('stopped')
  const finished = await within(context.limits.stopWaitMs, exchange.finished)
  return {
    exchangeId: exchange.id,
    isStopped: finished !== null && finished.end.status !== 'completed',
    chargedNano: finished?.settlement.chargedNano ?? null,
    balanceNano: finished?.settlement.balanceNano ?? null,
  }
}

/** The owner is another process: asks it to stop by the board, and waits for its settlement. */
async function stopElsewhere(
  context: ExchangeContext,
  { name, accountId, credential }: StopInput & { accountId: string },
): Promise<StoppedExchange> {
  const { board, ledger, limits } = context
  const exchangeId = await pollOtherProcess(context, {
    who: 'stop',
    accountId,
    poll: () => askLedger(async () => (await board?.requestStop({ name, accountId })) ?? null),
    timeMsMax: announcedWithinMs(context, name),
  })
  if (exchangeId === null) throw noSuchAnswer(name)
  const usage = await pollUntil({
    poll: () => askLedger(() => ledger.getUsage({ accountId, holdId: exchangeId })),
    intervalMs: limits.otherProcessPollIntervalMs,
    timeMsMax: limits.stopWaitMs,
  })
  const balance = usage && (await askLedger(() => ledger.getBalance({ credential })))
  return {
    exchangeId,
    isStopped: usage !== null && usage.status !== 'completed',
    chargedNano: usage?.chargedNano ?? null,
    balanceNano: balance?.balanceNano ?? null,
  }
}

/** The most that the clocks of two processes may differ. */
const CLOCK_DIFFERENCE_MS = 5_000

/**
 * How long to wait for an exchange that may have begun in another process so recently that it is not announced yet.
 * Only an id contains the time at which it was made. A client that asks by another name sends its request again, and
 * the idempotency key finds the exchange.
 */
function announcedWithinMs({ board, limits }: ExchangeContext, name: string): number {
  const { announcementDelayMs } = limits
  const madeAtMs = uuidTimeMs(name)
  if (!board || madeAtMs === null) return 0
  const isYoung = Math.abs(Date.now() - madeAtMs) < announcementDelayMs + CLOCK_DIFFERENCE_MS
  return isYoung ? 2 * announcementDelayMs : 0
}

/**
 * The account behind a credential. A credit that leaked may be closed while its answers are written, and they are
 * charged to their end if nobody can stop them.
 * @throws ApiError invalid_credential, ledger_unavailable
 */
async function requireOwner(ledger: Ledger, credential: Credential): Promise<string> {
  const open = await askLedger(() => ledger.getBalance({ credential }))
  return open?.accountId ?? requireKnown(await askLedger(() => ledger.findClosedAccount({ credential })))
}

/**
 * Polls for something that another process will have done; null when the time is over, or the client has left.
 */
async function pollUntil<Found>(input: {
  poll: () => Promise<Found | null>
  intervalMs: number
  timeMsMax: number
  signal?: AbortSignal
}): Promise<Found | null> {
  const until = performance.now() + input.timeMsMax
  for (;;) {
    const found = await input.poll()
    if (found !== null || performance.now() >= until || input.signal?.aborted) return found
    await wait(input.intervalMs, null, { signal: input.signal }).catch(() => null)
  }
}

function sameText(left: string | null, right: string): boolean {
  return left !== null && isSameSecret(left, right)
}
