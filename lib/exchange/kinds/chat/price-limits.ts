import { LIMITED_PRICES, type PriceName, type Prices, type UnitPrices } from '@/lib/catalogue/domain/model'
import { compare, type Decimal, decimalFromInteger, multiply, parseDecimal } from '@/lib/money/decimal'
import type { ChatRequest } from './contract'

type LimitedPrice = (typeof LIMITED_PRICES)[number]

/** Decimal places by which a limit's unit is larger than a price's. */
const UNIT_SCALES: Readonly<Record<LimitedPrice, number>> = { prompt: 6, completion: 6, request: 0, image: 0 }

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
  return multiply(prices[name], decimalFromInteger(10 ** UNIT_SCALES[name]))
}

/**
 * The prices of a host that a router chose within the payer's limits, as far as they are known: no higher than those,
 * even if more is listed.
 */
export function withinLimits(request: Pick<ChatRequest, 'provider'>, prices: Prices): Prices {
  const { overrides } = prices
  if (!request.provider?.max_price) return prices
  return {
    ...prices,
    ...limited(request, prices),
    overrides: overrides.map(override => ({ ...override, prices: limited(request, override.prices) })),
  }
}

function limited<Known extends Readonly<Partial<Record<PriceName, Decimal | null>>>>(
  request: Pick<ChatRequest, 'provider'>,
  prices: Known,
): Known {
  const lowered = LIMITED_PRICES.flatMap(name => {
    const limit = priceLimitOf(request, name)
    const price = prices[name]
    if (!limit || !price) return []
    const limitPerUnit = { ...limit, scale: limit.scale + UNIT_SCALES[name] }
    return compare(price, limitPerUnit) > 0 ? [[name, limitPerUnit] as const] : []
  })
  return { ...prices, ...Object.fromEntries(lowered) }
}
