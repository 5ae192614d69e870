import { maxNano, minNano, type Nano } from '@/lib/money/nano'
import { type HoldState, RISK_PER_ACCOUNT_DAY_NANO_MAX } from '../../domain/ledger'

/**
 * What the ledger must do, in memory and without a rival: the model that the real one is compared with.
 * Accounts and holds go by their number.
 */
export interface ModelHold {
  account: number
  viaKey: boolean
  amountNano: Nano
  riskNano: Nano
  state: HoldState
  expired: boolean
  chargedNano: Nano
  /** What the last renewal said that it has cost so far. */
  checkpointNano: Nano | null
  priceNano: Nano
  idempotencyKey: number | null
  request: number
}

export interface ModelAccount {
  balanceNano: Nano
  heldNano: Nano
  /** All in one day. */
  riskNano: Nano
  key: { limitNano: Nano; usageNano: Nano; heldNano: Nano }
}

export interface PlaceInput {
  account: number
  viaKey: boolean
  amountNano: Nano
  minimumNano: Nano
  leastNano: Nano
  idempotencyKey: number | null
  request: number
}

export type PlaceExpectation =
  | { outcome: 'held'; amountNano: Nano }
  | { outcome: 'duplicate'; hold: number; sameRequest: boolean; state: HoldState }
  | { outcome: 'insufficient_credit' | 'key_limit_reached'; availableNano: Nano }

export class ReferenceLedger {
  readonly accounts: ModelAccount[]
  readonly holds: ModelHold[] = []
  readonly #credited = new Set<number>()
  readonly #merged = new Map<string, Nano>()
  readonly #reversed = new Map<number, { takenNano: Nano; lossNano: Nano }>()
  lossNano: Nano = 0n
  /** Of one token; a hold keeps the price of its time. */
  priceNano: Nano

  constructor(keyLimitsNano: readonly Nano[], priceNano: Nano) {
    this.priceNano = priceNano
    this.accounts = keyLimitsNano.map(limitNano => ({
      balanceNano: 0n,
      heldNano: 0n,
      riskNano: 0n,
      key: { limitNano, usageNano: 0n, heldNano: 0n },
    }))
  }

  account(number: number): ModelAccount {
    return at(this.accounts, number)
  }

  hold(number: number): ModelHold {
    return at(this.holds, number)
  }

  availableNano(account: number, viaKey: boolean): Nano {
    const { balanceNano, heldNano, key } = this.account(account)
    const available = balanceNano - heldNano
    return viaKey ? minNano(available, key.limitNano - key.usageNano - key.heldNano) : available
  }

  place(input: PlaceInput): PlaceExpectation {
    const { account, viaKey, idempotencyKey } = input
    const seen = this.holds.findIndex(
      hold => idempotencyKey !== null && hold.account === account && hold.idempotencyKey === idempotencyKey,
    )
    if (seen >= 0) {
      const { request, state } = this.hold(seen)
      return { outcome: 'duplicate', hold: seen, sameRequest: request === input.request, state }
    }
    const availableNano = this.availableNano(account, viaKey)
    const amountNano = minNano(input.amountNano, availableNano)
    const riskNano = amountNano < input.minimumNano ? input.minimumNano - availableNano : 0n
    const dayRiskNano = this.account(account).riskNano + riskNano
    const isEnough = availableNano > 0n && availableNano >= input.leastNano
    if (riskNano > 0n && !(isEnough && dayRiskNano <= RISK_PER_ACCOUNT_DAY_NANO_MAX)) {
      const { key } = this.account(account)
      const keyIsShort = viaKey && key.limitNano - key.usageNano - key.heldNano < input.minimumNano
      return { outcome: keyIsShort ? 'key_limit_reached' : 'insufficient_credit', availableNano }
    }
    this.account(account).riskNano = dayRiskNano
    this.account(account).heldNano += amountNano
    if (viaKey) this.account(account).key.heldNano += amountNano
    const opened = {
      state: 'open',
      expired: false,
      chargedNano: 0n,
      checkpointNano: null,
      priceNano: this.priceNano,
    } as const
    this.holds.push({ ...input, ...opened, amountNano, riskNano })
    return { outcome: 'held', amountNano }
  }

  /** Null when the hold is no longer open. */
  resolve(number: number, state: 'settled' | 'released', costNano: Nano) {
    const hold = this.hold(number)
    if (hold.state !== 'open') return null
    const account = this.account(hold.account)
    account.heldNano -= hold.amountNano
    if (hold.viaKey) account.key.heldNano -= hold.amountNano
    hold.state = state
    hold.chargedNano = minNano(costNano, hold.amountNano)
    account.balanceNano -= hold.chargedNano
    if (hold.viaKey) account.key.usageNano += hold.chargedNano
    this.lossNano += costNano - hold.chargedNano
    account.riskNano += costNano - hold.chargedNano - hold.riskNano
    return { chargedNano: hold.chargedNano, lossNano: costNano - hold.chargedNano }
  }

  renew(number: number, checkpointNano: Nano | null): boolean {
    const hold = this.hold(number)
    if (hold.state !== 'open') return false
    hold.expired = false
    if (checkpointNano !== null) hold.checkpointNano = maxNano(checkpointNano, hold.checkpointNano ?? 0n)
    return true
  }

  /** The numbers of the holds that a sweeper ends. */
  sweep(): { released: number[]; settled: number[] } {
    const swept = { released: [] as number[], settled: [] as number[] }
    for (const number of this.holds.keys()) {
      const end = this.endExpired(number)
      if (end) swept[end].push(number)
    }
    return swept
  }

  /** Null where nothing has expired. */
  endExpired(number: number): 'released' | 'settled' | null {
    const { state, expired, checkpointNano } = this.hold(number)
    if (state !== 'open' || !expired) return null
    const end = checkpointNano === null ? 'released' : 'settled'
    this.resolve(number, end, checkpointNano ?? 0n)
    return end
  }

  credit(account: number, amountNano: Nano, reference: number): boolean {
    if (this.#credited.has(reference)) return false
    this.#credited.add(reference)
    this.account(account).balanceNano += amountNano
    return true
  }

  /** Null when the two are one. A merge that moves nothing leaves its reference free. */
  merge(from: number, into: number, reference: number) {
    if (from === into) return null
    const key = `${from} ${into} ${reference}`
    const before = this.#merged.get(key)
    if (before !== undefined) return { outcome: 'already_merged' as const, movedNano: before }
    const movedNano = this.availableNano(from, false)
    if (movedNano > 0n) this.#merged.set(key, movedNano)
    this.account(from).balanceNano -= movedNano
    this.account(into).balanceNano += movedNano
    return { outcome: 'merged' as const, movedNano }
  }

  reverse(account: number, amountNano: Nano, reference: number) {
    const before = this.#reversed.get(reference)
    if (before) return { outcome: 'already_reversed' as const, ...before }
    const takenNano = minNano(amountNano, this.availableNano(account, false))
    const taken = { takenNano, lossNano: amountNano - takenNano }
    this.#reversed.set(reference, taken)
    this.account(account).balanceNano -= takenNano
    this.lossNano += taken.lossNano
    return { outcome: 'reversed' as const, ...taken }
  }
}

function at<Value>(values: readonly Value[], number: number): Value {
  const value = values[number]
  if (value === undefined) throw new Error(`The model has no number ${number}.`)
  return value
}
