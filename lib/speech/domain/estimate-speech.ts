import { estimateTokens } from '@/lib/catalogue/domain/estimate-tokens'
import { add, decimalFromInteger, multiply, parseDecimal } from '@/lib/money/decimal'
import { ceilToNano, type Nano } from '@/lib/money/nano'
import type { SpeechPrices } from './speech-offer'

/**
 * What speaking these pieces costs, each a request of its own: exact where characters are paid, a guess where
 * tokens are. Null when the price is not understood.
 */
export function estimateSpeech(prices: SpeechPrices, pieces: readonly string[]): Nano | null {
  const unit = parseDecimal(prices.character ?? prices.prompt)
  const request = parseDecimal(prices.request)
  if (!unit || !request) return null
  const countUnits = prices.character === null ? estimateTokens : countCharacters
  return pieces.reduce<Nano>((sum, piece) => {
    const spoken = multiply(unit, decimalFromInteger(countUnits(piece)))
    return sum + ceilToNano(add(spoken, request))
  }, 0n)
}

/** As vendors count them: a character outside the basic plane is one, not two. */
export function countCharacters(text: string): number {
  let count = 0
  for (const _character of text) count += 1
  return count
}
