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

/** What every verb works with. */
export interface ExchangeContext {
  readonly ledger: Ledger
  /** 0.055 means +5.5 % on an upstream's own cost. */
  readonly priceMarkup: Decimal
  readonly replayStore: ReplayStore
  readonly replayLimiter: ReplayLimiter
  readonly owners: ExchangeOwners
  readonly answerLogs: AnswerLogs
  /** For those that are made. */
  readonly answerMemory: AnswerMemory
  /** For those that are read again. */
  readonly replayMemory: AnswerMemory
  /** Null where no other process can own an exchange. */
  readonly board: ExchangeBoard | null
  readonly limits: ExchangeLimits
  /** How many of each account wait for what another process does, by who they are. */
  readonly waitingCounts: Map<string, number>
  /** What is remembered of API keys, by their hashes: a guess, which the ledger corrects. */
  readonly keyRoutings: Map<string, KeyRouting>
  /** Tells the host that work goes on behind the response, where hosts freeze a process without any. */
  readonly keepAlive: (work: Promise<unknown>) => void
  /** Tells the operator of what nobody pays for. */
  readonly report: (message: string, exchangeId?: string) => void
  readonly isDraining: () => boolean
}
