import { add, type Decimal, decimalFromInteger, multiply } from '@/lib/money/decimal'
import type { Prices } from './model'
import { mapPrices } from './price-fields'

/** The prices that this site charges: the upstream's price times one plus the markup (0.055 means +5.5 %), exact. */
export function applyMarkup(prices: Prices, priceMarkup: Decimal): Prices {
  const charge = (price: Decimal) => withMarkup(price, priceMarkup)
  const overrides = prices.overrides.map(override => ({
    ...override,
    prices: mapPrices(override.prices, charge),
  }))
  return { ...mapPrices(prices, charge), overrides }
}

export function withMarkup(amount: Decimal, priceMarkup: Decimal): Decimal {
  return multiply(amount, add(decimalFromInteger(1), priceMarkup))
}
