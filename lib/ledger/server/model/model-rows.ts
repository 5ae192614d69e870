import type { Nano } from '@/lib/money/nano'
import type { HoldState } from '../../domain/holds'

/** Rows of the reference ledger; accounts and holds go by their number. */
export interface ModelHold {
  account: number
  viaKey: boolean
  amountNano: Nano
  riskNano: Nano
  state: HoldState
  expired: boolean
  chargedNano: Nano
  lossNano: Nano
  /** It was ended by a sweep, and its call may still end, once. */
  isSwept: boolean
  /** What the last renewal said that it has cost so far. */
  checkpointNano: Nano | null
  priceNano: Nano
  idempotencyKey: number | null
  request: number
}

export interface ModelAccount {
  balanceNano: Nano
  heldNano: Nano
  debtNano: Nano
  /** What merges have brought it, less what they have taken from it. */
  mergedNano: Nano
  /** Which others it was merged with. */
  group: number
  /** All in one day. */
  riskNano: Nano
  lostNano: Nano
  chargedNano: Nano
  key: { limitNano: Nano; usageNano: Nano; heldNano: Nano }
}
