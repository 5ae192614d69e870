import { isObject } from '@/lib/http/domain/is-object'
import { MILLISATOSHIS_PER_BITCOIN } from './payment-method'

/** What the person allows. Amounts are in whole cents, because they are added up. */
export interface WalletRules {
  readonly belowCents: number
  readonly addCents: number
  /** In any 24 hours. */
  readonly dayCents: number
  /**
   * Whether each payment needs a confirmation; otherwise it is made after a few seconds in which it can be declined.
   */
  readonly asksFirst: boolean
  /** The bitcoin rate shown when this was allowed; a rate far from it is rejected. */
  readonly usdPerBitcoin: number
  /** The credit whose balance this is about: no other credit in the browser is topped up. */
  readonly creditSegment: string
}

/** Whether a top-up lifts the balance above the limit, fits in a day's allowance, and all amounts can be stored. */
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

/** Ten thousand dollars: more is a typing mistake. */
const CENTS_MAX = 1_000_000
const TOP_UPS_PER_DAY_MAX = 100

/** Whether an invoice may use this rate: at least half of the one that the person was shown. */
export function isPlausibleRate(usdPerBitcoin: number, shownUsdPerBitcoin: number): boolean {
  return usdPerBitcoin >= shownUsdPerBitcoin / 2
}

/** Rates move between quote and invoice, and rounding up adds up to a satoshi. */
const RATE_TOLERANCE = 0.03

/** Whether an invoice asks for no more bitcoin than the dollars are worth at the quoted rate. */
export function isFairAmount(millisatoshis: bigint, cents: number, usdPerBitcoin: number): boolean {
  const fair = (cents / 100 / usdPerBitcoin) * Number(MILLISATOSHIS_PER_BITCOIN)
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
