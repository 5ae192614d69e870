import type { Prices } from '@/lib/catalogue/domain/model'
import { add, decimalFromInteger, multiply, ZERO } from '@/lib/money/decimal'
import { ceilToNano, type Nano } from '@/lib/money/nano'
import { waveSeconds } from './wave-file'

/**
 * The thinnest speech that is recorded: Opus and AMR at 6 kbit/s. What is held for a compressed recording
 * whose length nobody knows before it is heard.
 */
const BYTES_PER_SECOND_MIN = 750
/** What a recording is taken to be when neither its header nor the upstream tells: 128 kbit/s. */
const BYTES_PER_SECOND_GUESSED = 16_000

/** Longer than any recording that fits into a request, and short enough to be reckoned with. */
const SECOND_COUNT_MAX = 7 * 24 * 3600

/** The begun seconds that a recording of these bytes has at most. A WAV file tells its length exactly. */
export function boundSeconds(file: Uint8Array): number {
  return begunSeconds(waveSeconds(file) ?? file.byteLength / BYTES_PER_SECOND_MIN)
}

/** How far beyond its bound a recording may be: silence packs that well. Further, an upstream is not believed. */
const BOUND_MULTIPLE_MAX = 10

/** An upstream's word for the length of a recording, in begun seconds; null when it cannot be that. */
export function believeSeconds(told: number | null, secondCountMax: number): number | null {
  if (told === null || !(told >= 0) || told > secondCountMax * BOUND_MULTIPLE_MAX) return null
  return begunSeconds(told)
}

/** For an upstream that does not tell how long a recording was; never above the bound. */
export function guessSeconds(file: Uint8Array): number {
  return begunSeconds(waveSeconds(file) ?? file.byteLength / BYTES_PER_SECOND_GUESSED)
}

/** Whole seconds, each begun one counted; at least one. */
export function begunSeconds(seconds: number): number {
  return Math.min(SECOND_COUNT_MAX, Math.max(1, Math.ceil(seconds)))
}

export function priceTranscription(prices: Prices, secondCount: number): Nano {
  const seconds = multiply(prices.inputSecond ?? ZERO, decimalFromInteger(secondCount))
  return ceilToNano(add(seconds, prices.request))
}
