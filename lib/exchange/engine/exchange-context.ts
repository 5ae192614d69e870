import 'server-only'
import type { KeyRouting } from '@/lib/ledger/domain/keys'
import type { Ledger } from '@/lib/ledger/domain/ledger'
import type { Decimal } from '@/lib/money/decimal'
import type { ExchangeLimits } from '../domain/exchange-limits'
import type { AnswerLogs } from './answer-log'
import type { AnswerMemory } from './answer-memory'
import type { ExchangeBoard } from './exchange-board'
import type { ExchangeOwners } from './owners'
import type { ReplayStore } from './replay-store'
import type { ReplayLimiter } from './replays'

/** The dependencies of every verb of the engine. */
export interface ExchangeContext {
  readonly ledger: Ledger
  /** 0.055 means +5.5 % on an upstream's own cost. */
  readonly priceMarkup: Decimal
  readonly replayStore: ReplayStore
  readonly replayLimiter: ReplayLimiter
  readonly owners: ExchangeOwners
  readonly answerLogs: AnswerLogs
  /** For answers that are being made. */
  readonly answerMemory: AnswerMemory
  /** For kept answers that are read again. */
  readonly replayMemory: AnswerMemory
  /** Null if there is no other process that could own an exchange. */
  readonly board: ExchangeBoard | null
  readonly limits: ExchangeLimits
  /** How many requests of each account are waiting for another process, by their purpose. */
  readonly waitingCounts: Map<string, number>
  /** The remembered routing of API keys, by their hashes. It may be outdated; the ledger corrects it. */
  readonly keyRoutings: Map<string, KeyRouting>
  /** Announces work that outlives its response, on platforms that freeze a process without a request. */
  readonly keepAlive: (work: Promise<unknown>) => void
  /** Reports to the operator what nobody pays for. */
  readonly report: (message: string, exchangeId?: string) => void
  readonly isDraining: () => boolean
  /** Aborted once nothing may begin any more, because what it needs is about to be closed. */
  readonly closing: AbortSignal
}
