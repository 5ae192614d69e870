import 'server-only'
import { within } from '@/lib/http/domain/within'
import type { Ledger } from '@/lib/ledger/domain/ledger'
import type { Decimal } from '@/lib/money/decimal'
import { log } from '@/lib/observability/log'
import { EXCHANGE_LIMITS, type ExchangeLimits } from '../domain/exchange-limits'
import { createAnswerLogs } from './answer-log'
import { createAnswerMemory, REPLAYED_BYTES_MAX } from './answer-memory'
import { type BeginInput, begin, type PendingAnswers } from './begin'
import { restarting } from './ends'
import type { ExchangeBoard } from './exchange-board'
import type { ExchangeContext } from './exchange-context'
import { type ResumeInput, resume, type StopInput, type StoppedExchange, stop } from './follow'
import type { Kind } from './kind'
import { announceOwned, createOwners } from './owners'
import { firstBodyByteCount, type RepeatInput } from './repetition'
import type { ReplayStore } from './replay-store'
import { createReplayLimiter } from './replays'
import type { ExchangeReply } from './reply'

/** The verbs of paid calls, whatever their kind. All throw ApiError. */
export interface Exchanges {
  begin(kind: Kind, input: BeginInput): Promise<ExchangeReply>
  /** Length of the first body that was sent under this idempotency key, while its answer can be replayed; else 0. */
  firstBodyByteCount(kind: Kind, input: RepeatInput): Promise<number>
  /** The rest of an interrupted answer. */
  resume(input: ResumeInput): Promise<ExchangeReply>
  stop(input: StopInput): Promise<StoppedExchange>
  /** Removes expired answers, and announcements of processes that died. Call it periodically. */
  sweep(input: { rowCountMax: number }): Promise<void>
  /** For SIGTERM: refuses new requests, and resolves when none is running. */
  drain(): Promise<void>
}

/** One per process: it owns the exchanges that run here. */
export function createExchanges(input: {
  ledger: Ledger
  priceMarkup: Decimal
  replayStore: ReplayStore
  board?: ExchangeBoard | null
  limits?: Partial<ExchangeLimits>
  keepAlive?: (work: Promise<unknown>) => void
  report?: ExchangeContext['report']
}): Exchanges {
  const pending: PendingAnswers = new Map()
  let draining = false
  const closing = new AbortController()
  const board = input.board ?? null
  const limits = { ...EXCHANGE_LIMITS, ...input.limits }
  const report = input.report ?? ((message, exchangeId) => log.warn(message, { exchangeId }))
  const beginning = new Set<Promise<unknown>>()
  const running = new Set<Promise<unknown>>()
  const keepAlive = (work: Promise<unknown>) => {
    const ended = () => running.delete(work)
    running.add(work)
    work.then(ended, ended)
    input.keepAlive?.(work)
  }
  const owners = createOwners()
  const context: ExchangeContext = {
    ledger: input.ledger,
    priceMarkup: input.priceMarkup,
    replayStore: input.replayStore,
    replayLimiter: createReplayLimiter(),
    owners: board ? announceOwned(owners, { board, limits, keepAlive }) : owners,
    answerLogs: createAnswerLogs(),
    answerMemory: createAnswerMemory(),
    replayMemory: createAnswerMemory(REPLAYED_BYTES_MAX),
    board,
    limits,
    waitingCounts: new Map(),
    keyRoutings: new Map(),
    keepAlive,
    report,
    isDraining: () => draining,
    closing: closing.signal,
  }
  return {
    begin(kind, request) {
      const begun = begin(context, pending, kind, request)
      const ended = () => beginning.delete(begun)
      beginning.add(begun)
      const over = begun.then(ended, ended)
      // A caller who leaves must not have the process frozen between the hold and the call.
      input.keepAlive?.(over)
      return begun
    },
    firstBodyByteCount: (kind, request) => firstBodyByteCount(context, pending, kind, request),
    resume: request => resume(context, request),
    stop: request => stop(context, request),
    async sweep(bounds) {
      await input.replayStore.sweep(bounds)
      await board?.sweep(bounds)
    },
    drain() {
      draining = true
      return drain(context, { beginning, running, close: () => closing.abort(restarting()) })
    },
  }
}

/**
 * Lets running answers finish before the process exits. What takes longer is stopped, so that its owner settles
 * the delivered part, not the sweeper; a call that is still being priced then no longer begins. Settlements that are
 * still being retried get the same time.
 */
async function drain(
  { owners, limits }: ExchangeContext,
  {
    beginning,
    running,
    close,
  }: Record<'beginning' | 'running', Set<Promise<unknown>>> & { close: () => void },
): Promise<void> {
  const finished = () => Promise.all(owners.all().map(exchange => exchange.finished))
  const settled = () => Promise.allSettled(running)
  // A call that is still being priced or held has no owner yet; it would find the database closed when it settles.
  const begun = Promise.allSettled(beginning)
  await within(limits.drainTimeoutMs, begun.then(finished).then(settled))
  close()
  for (const exchange of owners.all()) exchange.stop('shutdown')
  await begun.then(finished)
}
