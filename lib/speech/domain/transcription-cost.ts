import type { Prices } from '@/lib/catalogue/domain/model'
import { add, decimalFromInteger, multiply, ZERO } from '@/lib/money/decimal'
import { ceilToNano, type Nano } from '@/lib/money/nano'
import { waveSeconds } from './wave-file'

/**
 * The thinnest speech that is recorded: Opus and AMR at 6 kbit/s. What is held for a compressed recording
 * whose length nobody knows before it is heard.
 */
const BYTES_PER_SECOND_MIN = 750
/**
 * Voice messages: 24 kbit/s. With money for this much the recording is heard; what it costs beyond is taken
 * from what is available then. Only silence is smaller still, and the rest of such a recording is the
 * operator's loss.
 */
const BYTES_PER_SECOND_USUAL = 3_000
/** What a recording is taken to be when neither its header nor the upstream tells: 128 kbit/s. */
const BYTES_PER_SECOND_GUESSED = 16_000

/** Longer than any recording that fits into a request, and short enough to be reckoned with. */
const SECOND_COUNT_MAX = 7 * 24 * 3600

export interface DurationBound {
  /** Begun seconds. */
  secondCountMax: number
  secondCountMin: number
}

/** Between which lengths the bytes of a recording allow it to be. A WAV file tells its length exactly. */
export function boundDuration(file: Uint8Array): DurationBound {
  const exact = waveSeconds(file)
  if (exact !== null) return { secondCountMax: begunSeconds(exact), secondCountMin: begunSeconds(exact) }
  return {
    secondCountMax: begunSeconds(file.byteLength / BYTES_PER_SECOND_MIN),
    secondCountMin: begunSeconds(file.byteLength / BYTES_PER_SECOND_USUAL),
  }
}

/** How far beyond its bound a recording may be: silence packs that well. Further, an upstream is not believed. */
const BOUND_MULTIPLE_MAX = 10

/** An upstream's word for the length of a recording, in begun seconds; null when it cannot be that. */
export function believeSeconds(told: number | null, { secondCountMax }: DurationBound): number | null {
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
