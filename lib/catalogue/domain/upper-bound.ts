import { add, compare, type Decimal, multiply } from '@/lib/money/decimal'
import { ceilToNano, type Nano } from '@/lib/money/nano'
import { cachedInputPrice, reasoningPrice } from './cost'
import { decimalFromCount } from './count'
import type { Prices } from './model'

export interface RequestBound {
  prices: Prices
  /** From `boundPrompt`. */
  promptTokenCountMax: number
  /** Pictures sent with a chat request, or asked of an image model. */
  imageCount?: number
  /** Over all choices together. */
  outputTokenCountMax: number
}

/** The most that a request can cost at these prices: what is held before the upstream is called. */
export function upperBound({ outputTokenCountMax, ...request }: RequestBound): Nano {
  const output = multiply(outputPriceMax(request.prices), decimalFromCount(outputTokenCountMax))
  return ceilToNano(add(inputBoundUsd(request), output))
}

/** The part of the bound that does not depend on how long the answer is. */
export function inputBoundUsd(request: Omit<RequestBound, 'outputTokenCountMax'>): Decimal {
  const { prices, promptTokenCountMax, imageCount = 0 } = request
  const prompt = multiply(inputPriceMax(prices), decimalFromCount(promptTokenCountMax))
  const images = multiply(prices.image, decimalFromCount(imageCount))
  return [prompt, images].reduce(add, prices.request)
}

export function outputPriceMax(prices: Prices): Decimal {
  return dearer(prices.completion, reasoningPrice(prices))
}

/** Writing to a cache can cost more than reading plain input. */
function inputPriceMax(prices: Prices): Decimal {
  return dearer(dearer(prices.prompt, cachedInputPrice(prices)), prices.inputCacheWrite ?? prices.prompt)
}

function dearer(left: Decimal, right: Decimal): Decimal {
  return compare(left, right) >= 0 ? left : right
}
