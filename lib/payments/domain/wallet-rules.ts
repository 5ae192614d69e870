import { isObject } from '@/lib/http/domain/is-object'

/** What the person allows. Amounts in whole cents: they are added up. */
export interface WalletRules {
  readonly belowCents: number
  readonly addCents: number
  /** In any 24 hours. */
  readonly dayCents: number
  /** Each payment waits for a word; else it goes out after a few seconds in which it can be refused. */
  readonly asksFirst: boolean
  /** What a bitcoin was said to be worth when this was allowed: a rate far from it is not believed. */
  readonly usdPerBitcoin: number
  /** Whose balance it is about: no other credit that comes into the browser is paid for. */
  readonly creditSegment: string
}

/** What a top-up adds lifts the balance above the limit, and the day has room for a number that can be kept. */
export function isAllowed({
  belowCents,
  addCents,
  dayCents,
}: Pick<WalletRules, 'belowCents' | 'addCents' | 'dayCents'>): boolean {
  const all = [belowCents, addCents, dayCents]
  return (
    all.every(cents => Number.isInteger(cents) && cents > 0 && cents <= CENTS_MAX) &&
    belowCents <= addCents &&
    addCents <= dayCents &&
    dayCents <= addCents * TOP_UPS_PER_DAY_MAX
  )
}

/** Ten thousand dollars: more is a slip of the hand. */
const CENTS_MAX = 1_000_000
const TOP_UPS_PER_DAY_MAX = 100

/** The rate at which an invoice may ask for bitcoin: no worse than half of what the person was shown once. */
export function isPlausibleRate(usdPerBitcoin: number, shownUsdPerBitcoin: number): boolean {
  return usdPerBitcoin >= shownUsdPerBitcoin / 2
}

/** Rates move between the quote and the invoice; a satoshi is what rounding up adds. */
const RATE_TOLERANCE = 0.03
export const MILLISATOSHIS_PER_BITCOIN = 1e11

/** Whether an invoice over so much bitcoin asks for no more than the dollars are worth at the quoted rate. */
export function isFairAmount(millisatoshis: bigint, cents: number, usdPerBitcoin: number): boolean {
  const fair = (cents / 100 / usdPerBitcoin) * MILLISATOSHIS_PER_BITCOIN
  return millisatoshis > 0n && Number(millisatoshis) <= fair * (1 + RATE_TOLERANCE) + 1_000
}

export function isWalletRules(value: unknown): value is WalletRules {
  if (!isObject(value) || typeof value.asksFirst !== 'boolean') return false
  const { belowCents, addCents, dayCents, usdPerBitcoin, creditSegment } = value
  if (typeof belowCents !== 'number' || typeof addCents !== 'number' || typeof dayCents !== 'number')
    return false
  return (
    isAllowed({ belowCents, addCents, dayCents }) &&
    typeof usdPerBitcoin === 'number' &&
    usdPerBitcoin > 0 &&
    typeof creditSegment === 'string'
  )
}
