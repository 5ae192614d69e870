import { maxNano, minNano, type Nano } from '@/lib/money/nano'
import type { HoldState } from '../../domain/holds'
import {
  LOSS_OF_PAID_IN_FACTOR_MAX,
  LOSS_PER_ACCOUNT_DAY_NANO_MAX,
  PROMISE_RISK_PER_ACCOUNT_DAY_NANO_MAX,
  RISK_PER_ACCOUNT_DAY_NANO_MAX,
} from '../../domain/limits'
import type { ModelAccount, ModelHold } from './model-rows'

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
  | { outcome: 'loss_limit_reached' }
  | { outcome: 'insufficient_credit' | 'key_limit_reached'; availableNano: Nano }

/** What the ledger must do, in memory and without a rival: the model that the real one is compared with. */
export class ReferenceLedger {
  readonly accounts: ModelAccount[]
  readonly holds: ModelHold[] = []
  readonly #credited = new Set<number>()
  readonly #leavings: { from: number; into: number }[] = []
  readonly #merged = new Map<string, Nano>()
  readonly #reversed = new Map<number, { takenNano: Nano; debtNano: Nano }>()
  lossNano: Nano = 0n
  /** Of one token; a hold keeps the price of its time. */
  priceNano: Nano

  constructor(keyLimitsNano: readonly Nano[], priceNano: Nano) {
    this.priceNano = priceNano
    this.accounts = keyLimitsNano.map((limitNano, group) => ({
      balanceNano: 0n,
      heldNano: 0n,
      debtNano: 0n,
      mergedNano: 0n,
      group,
      riskNano: 0n,
      lostNano: 0n,
      chargedNano: 0n,
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
    if (input.amountNano > 0n && this.#hasLostTooMuch(account)) return { outcome: 'loss_limit_reached' }
    const availableNano = this.availableNano(account, viaKey)
    const amountNano = minNano(input.amountNano, availableNano)
    const riskNano = amountNano < input.minimumNano ? input.minimumNano - amountNano : 0n
    const dayRiskNano = this.#ofGroup(account, ({ riskNano }) => riskNano) + riskNano
    const isEnough = amountNano > 0n && amountNano >= input.leastNano
    const riskNanoMax =
      availableNano < input.minimumNano
        ? RISK_PER_ACCOUNT_DAY_NANO_MAX
        : PROMISE_RISK_PER_ACCOUNT_DAY_NANO_MAX
    if (riskNano > 0n && !(isEnough && dayRiskNano <= riskNanoMax)) {
      const { key } = this.account(account)
      const keyIsShort = viaKey && key.limitNano - key.usageNano - key.heldNano < input.minimumNano
      return { outcome: keyIsShort ? 'key_limit_reached' : 'insufficient_credit', availableNano }
    }
    this.account(account).riskNano += riskNano
    this.account(account).heldNano += amountNano
    if (viaKey) this.account(account).key.heldNano += amountNano
    const opened = {
      state: 'open',
      expired: false,
      lossNano: 0n,
      isSwept: false,
      chargedNano: 0n,
      checkpointNano: null,
      priceNano: this.priceNano,
    } as const
    this.holds.push({ ...input, ...opened, amountNano, riskNano })
    return { outcome: 'held', amountNano }
  }

  /** Null when the hold is no longer open. `absorbedNano` is what a call costs that failed. */
  resolve(number: number, state: 'settled' | 'released', costNano: Nano, absorbedNano = 0n) {
    const hold = this.hold(number)
    if (hold.state !== 'open') return this.#endLate(hold, costNano + absorbedNano)
    const account = this.account(hold.account)
    account.heldNano -= hold.amountNano
    if (hold.viaKey) account.key.heldNano -= hold.amountNano
    hold.state = state
    hold.chargedNano = minNano(costNano, hold.amountNano)
    account.balanceNano -= hold.amountNano
    this.#takeIn(hold.account, hold.amountNano - hold.chargedNano)
    if (hold.viaKey) account.key.usageNano += hold.chargedNano
    account.chargedNano += hold.chargedNano
    const lossNano = costNano - hold.chargedNano + absorbedNano
    this.lossNano += lossNano
    hold.lossNano = lossNano
    account.lostNano += lossNano
    account.riskNano += costNano - hold.chargedNano - hold.riskNano
    this.#collect()
    return { chargedNano: hold.chargedNano, lossNano }
  }

  /** What it cost beyond what the sweep knew is lost, once. */
  #endLate(hold: ModelHold, costNano: Nano): null {
    const lossNano = costNano - hold.chargedNano - hold.lossNano
    if (!hold.isSwept || lossNano <= 0n) return null
    hold.isSwept = false
    const account = this.account(hold.account)
    this.lossNano += lossNano
    account.lostNano += lossNano
    if (hold.state === 'settled') account.riskNano += lossNano
    return null
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
    const end = checkpointNano === null || checkpointNano === 0n ? 'released' : 'settled'
    this.resolve(number, end, checkpointNano ?? 0n)
    this.hold(number).isSwept = true
    return end
  }

  /** What was asked for before anything was merged goes to where the rest is. */
  credit(account: number, amountNano: Nano, reference: number, isAskedFirst = false): boolean {
    if (this.#credited.has(reference)) return false
    this.#credited.add(reference)
    this.#takeIn(account, amountNano)
    this.#collect()
    let into = account
    for (const leaving of this.#leavings) if (leaving.from === into) into = leaving.into
    const movedNano = minNano(this.availableNano(account, false), amountNano)
    if (isAskedFirst && into !== account) this.#move([account, into], movedNano, 0n)
    return true
  }

  /** Null when the two are one. A merge that moves neither money nor debt leaves its reference free. */
  merge(from: number, into: number, reference: number) {
    if (from === into) return null
    const key = `${from} ${into} ${reference}`
    const before = this.#merged.get(key)
    if (before !== undefined) return { outcome: 'already_merged' as const, movedNano: before }
    const movedNano = this.availableNano(from, false)
    const { balanceNano, debtNano } = this.account(from)
    if (balanceNano === movedNano) this.#leavings.push({ from, into })
    if (movedNano > 0n || debtNano > 0n) this.#merged.set(key, movedNano)
    this.#move([from, into], movedNano, debtNano)
    return { outcome: 'merged' as const, movedNano }
  }

  #move([from, into]: readonly [number, number], movedNano: Nano, debtNano: Nano): void {
    if (movedNano > 0n || debtNano > 0n) {
      const oldGroup = this.account(from).group
      for (const account of this.accounts)
        if (account.group === oldGroup) account.group = this.account(into).group
    }
    this.account(from).balanceNano -= movedNano
    this.#takeIn(into, movedNano)
    this.account(from).debtNano -= debtNano
    this.#owe(into, debtNano)
    this.account(from).mergedNano += debtNano - movedNano
    this.account(into).mergedNano += movedNano - debtNano
    this.#collect()
  }

  reverse(account: number, amountNano: Nano, reference: number) {
    const before = this.#reversed.get(reference)
    if (before) return { outcome: 'already_reversed' as const, ...before }
    const debtBeforeNano = this.account(account).debtNano
    this.#owe(account, amountNano)
    this.#collect()
    const debtNano = this.account(account).debtNano - debtBeforeNano
    const taken = { takenNano: amountNano - debtNano, debtNano }
    this.#reversed.set(reference, taken)
    return { outcome: 'reversed' as const, ...taken }
  }

  /** Merged credits risk and lose together. */
  #ofGroup(number: number, read: (account: ModelAccount) => Nano): Nano {
    const { group } = this.account(number)
    return this.accounts.reduce((sum, other) => sum + (other.group === group ? read(other) : 0n), 0n)
  }

  #hasLostTooMuch(number: number): boolean {
    const paidInNano = this.#ofGroup(number, ({ balanceNano, chargedNano }) => balanceNano + chargedNano)
    const lossNanoMax = minNano(LOSS_OF_PAID_IN_FACTOR_MAX * paidInNano, LOSS_PER_ACCOUNT_DAY_NANO_MAX)
    const lostNano = this.#ofGroup(number, account => account.lostNano)
    return lostNano > 0n && lostNano >= lossNanoMax
  }

  /** What is taken from the next money that comes in or free. */
  debtNano(number: number): Nano {
    const { debtNano, mergedNano, group } = this.account(number)
    const others = this.accounts.filter(other => other.group === group && other.mergedNano < 0n)
    const owedNano = others.reduce((sum, other) => sum + minNano(other.debtNano, -other.mergedNano), 0n)
    return debtNano + minNano(maxNano(mergedNano, 0n), owedNano)
  }

  /** Money that becomes available pays what the account owes first. */
  #takeIn(number: number, amountNano: Nano): void {
    const account = this.account(number)
    const paidNano = minNano(account.debtNano, amountNano)
    account.debtNano -= paidNano
    account.balanceNano += amountNano - paidNano
  }

  #owe(number: number, amountNano: Nano): void {
    const account = this.account(number)
    const takenNano = minNano(amountNano, this.availableNano(number, false))
    account.balanceNano -= takenNano
    account.debtNano += amountNano - takenNano
  }

  /** Whoever has money of one that owes pays for it; the accounts are numbered in the order of their ids. */
  #collect(): void {
    for (const debtor of this.accounts) {
      for (const [number, payer] of this.accounts.entries()) {
        if (payer.group !== debtor.group) continue
        const owedNano = minNano(debtor.debtNano, -debtor.mergedNano)
        const paidNano = minNano(owedNano, minNano(this.availableNano(number, false), payer.mergedNano))
        if (paidNano <= 0n) continue
        payer.balanceNano -= paidNano
        payer.mergedNano -= paidNano
        debtor.debtNano -= paidNano
        debtor.mergedNano += paidNano
      }
    }
  }
}

function at<Value>(values: readonly Value[], number: number): Value {
  const value = values[number]
  if (value === undefined) throw new Error(`The model has no number ${number}.`)
  return value
}
