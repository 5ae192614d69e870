import type { UnitPrices } from '@/lib/catalogue/domain/model'
import { type Decimal, decimalFromInteger, MILLION, multiply, parseDecimal } from '@/lib/money/decimal'
import type { ChatRequest } from './contract'

/** Prices that `provider.max_price` bounds: in dollars per million tokens, per request, per picture sent along. */
export const LIMITED_PRICES = ['prompt', 'completion', 'request', 'image'] as const
type LimitedPrice = (typeof LIMITED_PRICES)[number]

const UNITS: Readonly<Record<LimitedPrice, Decimal>> = {
  prompt: MILLION,
  completion: MILLION,
  request: decimalFromInteger(1),
  image: decimalFromInteger(1),
}

/** The most that the payer wants this site to charge; undefined for no limit. */
export function priceLimitOf(
  { provider }: Pick<ChatRequest, 'provider'>,
  name: LimitedPrice,
): Decimal | undefined {
  const limit = provider?.max_price?.[name]
  return limit == null ? undefined : (parseDecimal(String(limit)) ?? undefined)
}

/** A price in the unit of its limit. */
export function listedPrice(prices: UnitPrices, name: LimitedPrice): Decimal {
  return multiply(prices[name], UNITS[name])
}
