import type { Prices } from '@/lib/catalogue/domain/model'
import { add, decimalFromInteger, multiply, ZERO } from '@/lib/money/decimal'
import { ceilToNano, type Nano } from '@/lib/money/nano'
import { type MeasuredRecording, measureRecording } from './recording-length'

/** Longer than any recording that fits into a request, and short enough to be reckoned with. */
const SECOND_COUNT_MAX = 7 * 24 * 3600

/** The begun seconds that a recording has at most, or why nobody can tell. */
export function boundSeconds(file: Uint8Array): MeasuredRecording {
  const measured = measureRecording(file)
  return measured.outcome === 'measured' ? { ...measured, seconds: begunSeconds(measured.seconds) } : measured
}

/** An upstream's word for the length of a recording, in begun seconds, as far as it can be that long. */
export function chargedSeconds(told: number, secondCountMax: number): number {
  return told > 0 ? Math.min(begunSeconds(told), secondCountMax) : secondCountMax
}

/** Whole seconds, each begun one counted; at least one. */
function begunSeconds(seconds: number): number {
  return Math.min(SECOND_COUNT_MAX, Math.max(1, Math.ceil(seconds)))
}

export function priceTranscription(prices: Prices, secondCount: number): Nano {
  const seconds = multiply(prices.inputSecond ?? ZERO, decimalFromInteger(secondCount))
  return ceilToNano(add(seconds, prices.request))
}
