import 'server-only'
import type { Catalogue } from '@/lib/catalogue/domain/model'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import type { Ledger } from '@/lib/ledger/domain/ledger'
import { announceWork } from '@/lib/ledger/server/metering/announce-work'
import type { ReplayStore } from '@/lib/ledger/server/metering/replay-store'
import type { Decimal } from '@/lib/money/decimal'
import { EXCHANGE_LIMITS, type ExchangeLimits } from '../domain/exchange-limits'
import { announceOwned } from './announced-owners'
import { type CompleteInput, complete } from './complete'
import type { PendingAnswers } from './complete-once'
import { drain } from './drain'
import type { ExchangeBoard } from './exchange-board'
import type { ExchangeContext } from './exchange-context'
import { createExchangeOwners } from './exchange-owners'
import type { ExchangeReply } from './exchange-reply'
import { type ResumeInput, resume } from './resume'
import { type StopInput, type StopResult, stop } from './stop'

/** The verbs of an exchange. All throw ApiError. */
export interface Exchanges {
  complete(input: CompleteInput): Promise<ExchangeReply>
  resume(input: ResumeInput): Promise<ExchangeReply>
  stop(input: StopInput): Promise<StopResult>
  /** Removes answers that are no longer kept, and what died with its process; repeat it now and then. */
  sweep(input: { rowCountMax: number }): Promise<void>
  /** For SIGTERM: takes no more requests, and resolves when none runs. */
  drain(): Promise<void>
}

export interface ExchangesInput {
  ledger: Ledger
  catalogue: Catalogue
  upstreams: readonly UpstreamSettings[] | (() => Promise<readonly UpstreamSettings[]>)
  priceMarkup: Decimal
  replayStore: ReplayStore
  board?: ExchangeBoard | null
  limits?: Partial<ExchangeLimits>
  now?: () => number
  keepAlive?: (work: Promise<unknown>) => void
}

/** One per process: it owns the exchanges that run here. */
export function createExchanges(input: ExchangesInput): Exchanges {
  const { upstreams } = input
  const pending: PendingAnswers = new Map()
  let draining = false
  const board = input.board ?? null
  const limits = { ...EXCHANGE_LIMITS, ...input.limits }
  const keepAlive = (work: Promise<unknown>) => announceWork(input.keepAlive, work)
  const owners = createExchangeOwners()
  const context: ExchangeContext = {
    ledger: input.ledger,
    catalogue: input.catalogue,
    upstreams: typeof upstreams === 'function' ? upstreams : async () => upstreams,
    priceMarkup: input.priceMarkup,
    replayStore: input.replayStore,
    owners: board ? announceOwned(owners, { board, limits, keepAlive }) : owners,
    board,
    limits,
    now: input.now ?? (() => performance.now()),
    keepAlive,
    isDraining: () => draining,
  }
  return {
    complete: request => complete(context, pending, request),
    resume: request => resume(context, request),
    stop: request => stop(context, request),
    async sweep(bounds) {
      await input.replayStore.sweep(bounds)
      await board?.sweep(bounds)
    },
    drain() {
      draining = true
      return drain(context)
    },
  }
}
