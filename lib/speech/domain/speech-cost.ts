import { cost, NO_USAGE } from '@/lib/catalogue/domain/cost'
import { estimateTokens } from '@/lib/catalogue/domain/estimate-tokens'
import type { Prices } from '@/lib/catalogue/domain/model'
import { dearestPrices } from '@/lib/catalogue/domain/price-overrides'
import type { TokenCounter } from '@/lib/catalogue/domain/prompt-tokens'
import { costsNothing } from '@/lib/catalogue/domain/usable-prices'
import { add, decimalFromInteger, multiply, ZERO } from '@/lib/money/decimal'
import { ceilToNano, type Nano } from '@/lib/money/nano'
import { countCharacters } from './estimate-speech'

/** What reading a text aloud costs; known beforehand. */
export interface SpeechPrice {
  costNano: Nano
  /** Characters, or tokens if the model has no price per character. */
  unitCount: number
  /** Whether the tokens are our own count, since no upstream reports how many a text had. */
  estimated: boolean
}

/**
 * The one rule: per character if the model has such a price, otherwise per token of the text; the fee per request once;
 * the highest price if it depends on the hour. Vendors bill the text, however long its sound.
 */
export async function priceSpeech(
  prices: Prices,
  text: string,
  countTokens: TokenCounter,
): Promise<SpeechPrice> {
  if (prices.inputCharacter === null) {
    // A text that costs nothing is not worth a tokenizer of 65 MB.
    const unitCount = costsNothing(prices) ? estimateTokens(text) : await countTokens([text])
    return { costNano: costOfTokens(prices, unitCount), unitCount, estimated: true }
  }
  const unitCount = countCharacters(text)
  const known = dearestPrices(prices, { inputTokenCountMin: 0, inputTokenCountMax: unitCount })
  const characters = multiply(known.inputCharacter ?? ZERO, decimalFromInteger(unitCount))
  return { costNano: ceilToNano(add(characters, known.request)), unitCount, estimated: false }
}

function costOfTokens(prices: Prices, inputTokenCount: number): Nano {
  return cost({ prices, usage: { ...NO_USAGE, inputTokenCount } })
}

/** Brisk speech: a hundred and fifty words a minute, six characters each. */
const CHARACTERS_PER_SECOND = 15

/**
 * How much of a text was heard when its sound broke off, from how long the delivered bytes play. At least one character
 * and at most all of it, because the sound never starts the text over.
 */
export function spokenPart(input: {
  text: string
  byteCount: number
  bytesPerSecond: number
  speed: number
}): string {
  const { text, byteCount, bytesPerSecond, speed } = input
  const spokenCount = Math.ceil((byteCount / bytesPerSecond) * CHARACTERS_PER_SECOND * speed)
  return [...text].slice(0, Math.max(1, spokenCount)).join('')
}
