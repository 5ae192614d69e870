import { add, decimalFromInteger, multiply, parseDecimal } from '@/lib/money/decimal'
import { ceilToNano, type Nano } from '@/lib/money/nano'
import type { SpeechPrices } from './speech-offer'

/**
 * What speaking these pieces costs: each is one request, and a speech model's `prompt` price is for one
 * character. Null when the price is not understood.
 */
export function estimateSpeech(prices: SpeechPrices, pieces: readonly string[]): Nano | null {
  const character = parseDecimal(prices.prompt)
  const request = parseDecimal(prices.request ?? '0')
  if (!character || !request) return null
  return pieces.reduce<Nano>((sum, piece) => {
    const count = decimalFromInteger([...piece].length)
    return sum + ceilToNano(add(multiply(character, count), request))
  }, 0n)
}
