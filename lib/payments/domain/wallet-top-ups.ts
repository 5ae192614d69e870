import { isNotNegative, isObject, listOf } from '@/lib/http/domain/is-object'
import { isWalletRules, type WalletRules } from './wallet-rules'

/*
 * Top-ups that a person's own wallet pays by itself. Each fall below the limit causes at most one invoice and one
 * payment: if the outcome of a payment is unknown, it is looked up, and the payment is never repeated.
 */
type WalletTopUp = WarnedTopUp | OrderedTopUp

interface WarnedTopUp {
  readonly stage: 'warned'
  readonly cents: number
  /** When the payment will be made; null while it waits for a confirmation. */
  readonly untilMs: number | null
}

type Warning = Pick<WarnedTopUp, 'cents' | 'untilMs'>

/**
 * `invoiced`: the wallet has not been asked yet. `paying`: it has been, or is about to be. `unknown`: nobody knows the
 * outcome. `paid`: the wallet reports success, and the server has not credited it yet.
 */
interface OrderedTopUp {
  readonly stage: 'invoiced' | 'paying' | 'unknown' | 'paid'
  readonly cents: number
  /** When the wallet was asked; before that, when the invoice was created. */
  readonly atMs: number
  readonly expiresAtMs: number
  readonly invoiceId: string
  readonly paymentHash: string
  readonly lightningInvoice: string
}

export interface WalletTopUps {
  /** Null if the wallet pays nothing by itself. */
  readonly rules: WalletRules | null
  /** The balance has been sufficient since the last top-up, so that the next fall is a new cause. */
  readonly isArmed: boolean
  readonly current: WalletTopUp | null
  /** What was paid, or may have been, kept for the daily allowance. */
  readonly past: readonly { readonly cents: number; readonly atMs: number }[]
  /** Consecutive failures since the last success. */
  readonly failureCount: number
  readonly problem: WalletProblem | null
  /** Whether it has switched itself off after failures. */
  readonly isOff: boolean
}

const WALLET_PROBLEMS = [
  'insufficient_balance',
  'quota_exceeded',
  'payment_failed',
  'unauthorized',
  'wallet_error',
  'unreachable',
  'no_answer',
  'wrong_invoice',
  'wrong_rate',
  'expired',
  'order_failed',
  'day_reached',
] as const
export type WalletProblem = (typeof WALLET_PROBLEMS)[number]

export type WalletEvent =
  /** The person allowed new rules, or none, or asked to try again after a failure. */
  | { readonly type: 'allowed'; readonly rules: WalletRules | null }
  /** The server was just asked for the balance. */
  | { readonly type: 'balance'; readonly usd: number }
  | { readonly type: 'confirmed' }
  /** The warning is too long ago. */
  | { readonly type: 'delayed' }
  | { readonly type: 'declined' }
  | {
      readonly type: 'ordered'
      /** The warning that this was ordered for: meanwhile there may be another, for another amount. */
      readonly warned: Warning
      readonly invoice: Omit<OrderedTopUp, 'stage' | 'cents' | 'atMs'>
    }
  /** Certainly nothing was paid. */
  | { readonly type: 'failed'; readonly problem: WalletProblem }
  | { readonly type: 'asking' }
  /** The wallet's answer, or that there was none. */
  | { readonly type: 'answered'; readonly outcome: 'paid' }
  | { readonly type: 'answered'; readonly outcome: 'unknown'; readonly problem?: WalletProblem }
  | { readonly type: 'checked'; readonly server: ServerReport; readonly wallet: WalletReport }
  /** The person settles what neither server nor wallet could tell. */
  | { readonly type: 'forgotten' }

/** `over`: the invoice can no longer be paid, and no payment came. `foreign`: it is not for the credit in use now. */
export type ServerReport = 'credited' | 'open' | 'over' | 'foreign' | 'silent'
/** `unpaid`: the payment failed, or the wallet knows of none. */
export type WalletReport = 'paid' | 'unpaid' | 'silent'

export const NO_TOP_UPS: WalletTopUps = {
  rules: null,
  isArmed: false,
  current: null,
  past: [],
  failureCount: 0,
  problem: null,
  isOff: false,
}

export const WARNING_MS = 10_000
/** After this long a warning has been forgotten: every tab was closed meanwhile. */
const WARNING_KEPT_MS = 10 * 60_000
const DAY_MS = 24 * 60 * 60_000
/** Kept longer than they count, because clocks are also set back. */
const KEPT_MS = 2 * DAY_MS
const FAILURE_COUNT_MAX = 3
/** Problems that a retry would only repeat. */
const OFF_AT_ONCE: ReadonlySet<WalletProblem> = new Set(['unauthorized', 'wrong_invoice', 'wrong_rate'])
/** A payment takes seconds; one that arrives after the invoice has expired is credited at another rate. */
const EXPIRY_MARGIN_MS = 60_000

/** What was paid, or may have been, in the last 24 hours. */
export function spentCents({ current, past }: WalletTopUps, nowMs: number): number {
  const counted = past.filter(({ atMs }) => atMs > nowMs - DAY_MS)
  const running = current && current.stage !== 'warned' ? current.cents : 0
  return counted.reduce((sum, { cents }) => sum + cents, running)
}

/** What the tab that may act has to do next. */
export function nextStep(
  state: WalletTopUps,
  nowMs: number,
): 'rest' | 'wait' | 'warn' | 'order' | 'pay' | 'expire' | 'mark_unknown' | 'check' {
  const { current } = state
  if (!current) return 'rest'
  switch (current.stage) {
    case 'warned':
      if (current.untilMs === null || nowMs < current.untilMs) return 'wait'
      return nowMs < current.untilMs + WARNING_KEPT_MS ? 'order' : 'warn'
    case 'invoiced':
      return nowMs < current.expiresAtMs - EXPIRY_MARGIN_MS ? 'pay' : 'expire'
    case 'paying':
      // The tab that was about to pay is gone, and nobody knows how far it got.
      return 'mark_unknown'
    default:
      return 'check'
  }
}

/** Applies an event; one that no longer fits the state changes nothing. */
export function advance(state: WalletTopUps, event: WalletEvent, nowMs: number): WalletTopUps {
  const { current } = state
  switch (event.type) {
    case 'allowed':
      return {
        ...state,
        rules: event.rules,
        isArmed: event.rules !== null,
        current: current && isBefore(current) ? null : current,
        failureCount: 0,
        problem: null,
        isOff: false,
      }
    case 'balance':
      return applyBalance(state, event.usd, nowMs)
    case 'confirmed':
      return current?.stage === 'warned' ? { ...state, current: { ...current, untilMs: nowMs } } : state
    case 'delayed':
      if (current?.stage !== 'warned' || current.untilMs === null) return state
      return { ...state, current: { ...current, untilMs: nowMs + WARNING_MS } }
    case 'declined':
      return current && isBefore(current) ? { ...state, current: null } : state
    case 'ordered':
      if (current?.stage !== 'warned' || !isSameWarning(current, event.warned)) return state
      return {
        ...state,
        current: { ...event.invoice, stage: 'invoiced', cents: current.cents, atMs: nowMs },
      }
    case 'failed':
      // Once the wallet may have been asked, only the tab that asked can know that nothing was paid.
      return current && (isBefore(current) || current.stage === 'paying') ? fail(state, event.problem) : state
    case 'asking':
      if (current?.stage !== 'invoiced') return state
      if (!hasRoom({ ...state, current: null }, current.cents, nowMs))
        return limit({ ...state, current: null })
      return { ...state, current: { ...current, stage: 'paying', atMs: nowMs } }
    case 'answered':
      if (current?.stage !== 'paying') return state
      return {
        ...state,
        current: { ...current, stage: event.outcome },
        problem: event.outcome === 'unknown' ? (event.problem ?? 'no_answer') : null,
      }
    case 'checked':
      if (current?.stage !== 'unknown' && current?.stage !== 'paid') return state
      return applyAnswers(state, current, event, nowMs)
    case 'forgotten':
      if (current?.stage !== 'unknown' && current?.stage !== 'paid') return state
      return { ...count(state, current, nowMs), problem: null }
  }
}

function isSameWarning(left: Warning, right: Warning): boolean {
  return left.cents === right.cents && left.untilMs === right.untilMs
}

/** The wallet has not been asked yet. */
function isBefore({ stage }: WalletTopUp): boolean {
  return stage === 'warned' || stage === 'invoiced'
}

function applyBalance(state: WalletTopUps, usd: number, nowMs: number): WalletTopUps {
  const { rules, current } = state
  if (!rules) return state
  if (usd * 100 >= rules.belowCents) {
    // Money came in another way meanwhile.
    const left = current && isBefore(current) ? null : current
    const problem = state.problem === 'day_reached' ? null : state.problem
    const isKnown = state.isArmed && left === current && problem === state.problem
    return isKnown ? state : { ...state, isArmed: true, current: left, problem }
  }
  if (!state.isArmed || current || state.isOff) return state
  if (!hasRoom(state, rules.addCents, nowMs)) return limit(state)
  const untilMs = rules.asksFirst ? null : nowMs + WARNING_MS
  const problem = null
  return {
    ...state,
    isArmed: false,
    current: { stage: 'warned', cents: rules.addCents, untilMs },
    problem,
  }
}

/**
 * Only the server can confirm a credit. A payment counts as not made if both server and wallet say so; otherwise it
 * stays open. For a credit that is no longer in use, the server says nothing: the wallet alone, and time, end it.
 */
function applyAnswers(
  state: WalletTopUps,
  current: OrderedTopUp,
  { server, wallet }: Extract<WalletEvent, { type: 'checked' }>,
  nowMs: number,
): WalletTopUps {
  if (server === 'credited') return { ...count(state, current, nowMs), failureCount: 0, problem: null }
  const stage = wallet === 'paid' ? 'paid' : current.stage
  if (server === 'foreign' && stage === 'paid') return { ...count(state, current, nowMs), problem: null }
  const isOver = server === 'over' || (server === 'foreign' && nowMs > current.expiresAtMs + EXPIRY_MARGIN_MS)
  if (isOver && wallet === 'unpaid' && stage === 'unknown') return fail(state, 'payment_failed')
  return stage === current.stage ? state : { ...state, current: { ...current, stage }, problem: null }
}

function hasRoom(state: WalletTopUps, cents: number, nowMs: number): boolean {
  return state.rules !== null && spentCents(state, nowMs) + cents <= state.rules.dayCents
}

function limit(state: WalletTopUps): WalletTopUps {
  if (state.isArmed && state.problem === 'day_reached') return state
  return { ...state, isArmed: true, problem: 'day_reached' }
}

function fail(state: WalletTopUps, problem: WalletProblem): WalletTopUps {
  const failureCount = state.failureCount + 1
  const isOff = failureCount >= FAILURE_COUNT_MAX || OFF_AT_ONCE.has(problem)
  return { ...state, current: null, failureCount, problem, isOff }
}

/** Ends a payment that was made, or may have been. */
function count(state: WalletTopUps, { cents, atMs }: OrderedTopUp, nowMs: number): WalletTopUps {
  const past = state.past.filter(each => each.atMs > nowMs - KEPT_MS)
  return { ...state, current: null, past: [...past, { cents, atMs }] }
}

/** Reads what is stored. If a payment cannot be read, nothing is paid automatically until it is allowed again. */
export function parseWalletTopUps(stored: unknown): WalletTopUps {
  if (!isObject(stored)) return NO_TOP_UPS
  const { current = null, past = [] } = stored
  const isReadable = (current === null || isTopUp(current)) && Array.isArray(past) && past.every(isPast)
  return {
    rules: isReadable && isWalletRules(stored.rules) ? stored.rules : null,
    isArmed: stored.isArmed === true,
    current: isTopUp(current) ? current : null,
    past: listOf(past).filter(isPast),
    failureCount: isNotNegative(stored.failureCount) ? stored.failureCount : 0,
    problem: WALLET_PROBLEMS.find(each => each === stored.problem) ?? null,
    isOff: stored.isOff === true,
  }
}

function isTopUp(value: unknown): value is WalletTopUp {
  if (!isObject(value) || !isNotNegative(value.cents)) return false
  if (value.stage === 'warned') return value.untilMs === null || isNotNegative(value.untilMs)
  return (
    ['invoiced', 'paying', 'unknown', 'paid'].includes(String(value.stage)) &&
    [value.atMs, value.expiresAtMs].every(isNotNegative) &&
    [value.invoiceId, value.paymentHash, value.lightningInvoice].every(each => typeof each === 'string')
  )
}

function isPast(value: unknown): value is WalletTopUps['past'][number] {
  return isObject(value) && isNotNegative(value.cents) && isNotNegative(value.atMs)
}
