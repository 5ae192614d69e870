import 'server-only'
import type { Catalogue } from '@/lib/catalogue/domain/model'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import type { Ledger } from '@/lib/ledger/domain/ledger'
import type { ReplayStore } from '@/lib/ledger/server/metering/replay-store'
import type { Decimal } from '@/lib/money/decimal'
import type { ExchangeLimits } from '../domain/exchange-limits'
import type { ExchangeBoard } from './exchange-board'
import type { ExchangeOwners } from './exchange-owners'

/** What every verb of an exchange works with; made once by `createExchanges`. */
export interface ExchangeContext {
  ledger: Ledger
  catalogue: Catalogue
  /** In the operator's order. */
  upstreams: () => Promise<readonly UpstreamSettings[]>
  /** 0.055 means +5.5 % on an upstream's own cost. */
  priceMarkup: Decimal
  replayStore: ReplayStore
  owners: ExchangeOwners
  /** Null where no other process can own an exchange. */
  board: ExchangeBoard | null
  limits: ExchangeLimits
  /** Milliseconds of a clock that never goes back. */
  now: () => number
  /** Tells the host that work goes on behind the response, where hosts freeze a process without any. */
  keepAlive: (work: Promise<unknown>) => void
  isDraining: () => boolean
}
