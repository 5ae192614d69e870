import { add, type Decimal, decimalFromInteger, multiply } from '@/lib/money/decimal'
import type { Prices } from './model'

/** What this site charges: the upstream's price times one plus the markup (0.055 means +5.5 %), exact. */
export function applyMarkup(prices: Prices, priceMarkup: Decimal): Prices {
  const charge = (price: Decimal) => withMarkup(price, priceMarkup)
  const chargeGiven = (price: Decimal | null) => (price ? charge(price) : null)
  return {
    prompt: charge(prices.prompt),
    completion: charge(prices.completion),
    request: charge(prices.request),
    image: charge(prices.image),
    inputCacheRead: chargeGiven(prices.inputCacheRead),
    inputCacheWrite: chargeGiven(prices.inputCacheWrite),
    internalReasoning: chargeGiven(prices.internalReasoning),
    inputCharacter: chargeGiven(prices.inputCharacter),
    inputSecond: chargeGiven(prices.inputSecond),
  }
}

export function withMarkup(amount: Decimal, priceMarkup: Decimal): Decimal {
  return multiply(amount, add(decimalFromInteger(1), priceMarkup))
}
