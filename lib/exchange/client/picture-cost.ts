import { add, type Decimal, decimalFromInteger, multiply, parseDecimal, ZERO } from '@/lib/money/decimal'
import { ceilToNano, type Nano } from '@/lib/money/nano'
import type { PriceTexts } from './estimate-message'

/** The tokens of a picture of the usual size. */
const OUTPUT_TOKENS_PER_IMAGE_USUAL = 4_200

/** What a picture of the usual size costs; null if the model has no usable price. */
export function estimatePicture(prices: Pick<PriceTexts, 'completion' | 'request' | 'image'>): Nano | null {
  const image = read(prices.image)
  const request = read(prices.request)
  const completion = read(prices.completion)
  if (!image || !request || !completion) return null
  const tokens = multiply(completion, decimalFromInteger(OUTPUT_TOKENS_PER_IMAGE_USUAL))
  return ceilToNano([image, request].reduce(add, tokens))
}

function read(price: string | undefined): Decimal | null {
  return price === undefined ? ZERO : parseDecimal(price)
}
