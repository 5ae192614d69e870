import { cost, NO_USAGE } from '@/lib/catalogue/domain/cost'
import { estimateTokens } from '@/lib/catalogue/domain/estimate-tokens'
import type { Prices } from '@/lib/catalogue/domain/model'
import { dearestPrices } from '@/lib/catalogue/domain/price-overrides'
import { add, decimalFromInteger, multiply, ZERO } from '@/lib/money/decimal'
import { ceilToNano, type Nano } from '@/lib/money/nano'
import { countCharacters } from './estimate-speech'

/** What a text costs to be read aloud; known before anybody reads it. */
export interface SpeechPrice {
  costNano: Nano
  /** Characters, or tokens where a model has no price per character. */
  unitCount: number
  /** Tokens are counted by us: no upstream tells how many a text had. */
  estimated: boolean
}

/**
 * The one rule: by the character where the model has such a price, else by the token of its text; the fee
 * per request once; the dearest there ever is where it depends on the hour. Vendors bill the text, however long the
 * sound of it.
 */
export function priceSpeech(prices: Prices, text: string): SpeechPrice {
  if (prices.inputCharacter === null) {
    const unitCount = estimateTokens(text)
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
 * The part of a text that has been heard when the sound of it broke off: from how long the delivered bytes
 * play. It starts the text over for nobody, so the part is at least one character and at most all of it.
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
