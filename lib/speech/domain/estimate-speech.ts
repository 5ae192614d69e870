import { estimateTokens } from '@/lib/catalogue/domain/estimate-tokens'
import { add, compare, type Decimal, decimalFromInteger, multiply, parseDecimal } from '@/lib/money/decimal'
import { ceilToNano, type Nano } from '@/lib/money/nano'
import { LIKELY_PER_SECOND } from './recording-tokens'
import type { ListeningModel, ListeningPrices, SpeechPrices } from './speech-offer'

/**
 * The cost of speaking these pieces, each in a request of its own: exact for prices per character, a guess for prices
 * per token. Null if the price is not understood.
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

/**
 * What transcribing so many seconds is charged: exact for prices per second, a guess for prices per token. Null if the
 * price is not understood.
 */
export function priceListening(prices: ListeningPrices, seconds: number): Nano | null {
  const names = ['second', 'sound', 'written', 'least', 'request'] as const
  const [second, sound, written, least, request] = names.map(name => parseDecimal(prices[name]))
  if (!second || !sound || !written || !least || !request) return null
  const heard = multiply(sound, decimalFromInteger(LIKELY_PER_SECOND.sound))
  const noted = multiply(written, decimalFromInteger(LIKELY_PER_SECOND.written))
  return priceSeconds({ second: [heard, noted].reduce(add, second), least, request }, startedSeconds(seconds))
}

/** Longer than any accepted recording, and short enough to calculate with. */
const SECOND_COUNT_MAX = 7 * 24 * 3600

/** Whole seconds, rounded up; at least one. */
export function startedSeconds(seconds: number): number {
  return Math.min(SECOND_COUNT_MAX, Math.max(1, Math.ceil(seconds)))
}

/**
 * The cost of so many started seconds of a recording, plus the price of the request. Some hosts bill a shortest length,
 * such as Groq ten seconds: https://console.groq.com/docs/speech-to-text
 */
export function priceSeconds(
  { second, least, request }: { second: Decimal; least: Decimal; request: Decimal },
  secondCount: number,
): Nano {
  const heard = multiply(second, decimalFromInteger(secondCount))
  return ceilToNano(add(compare(heard, least) > 0 ? heard : least, request))
}

/** The cheapest model per minute, since a transcript does not depend on a voice. Null if there is none. */
export function cheapestListener(models: readonly ListeningModel[]): ListeningModel | null {
  const priced = models.flatMap(model => {
    const minute = priceListening(model.prices, 60)
    return minute === null ? [] : [{ model, minute }]
  })
  const [cheapest] = priced.toSorted((left, right) => (left.minute < right.minute ? -1 : 1))
  return cheapest?.model ?? null
}

/** As vendors count them: a character outside the basic plane is one, not two. */
export function countCharacters(text: string): number {
  let count = 0
  for (const _character of text) count += 1
  return count
}
