import type { Prices } from '@/lib/catalogue/domain/model'
import { dearestPrices } from '@/lib/catalogue/domain/price-overrides'
import { ZERO } from '@/lib/money/decimal'
import type { Nano } from '@/lib/money/nano'
import { priceSeconds } from './estimate-speech'
import { measureRecording, type RecordingExtension } from './recording-length'

export type RecordingBound =
  | { outcome: 'measured'; secondCount: number; extension: RecordingExtension }
  | { outcome: 'refused'; reason: string }

/** The begun seconds that a recording is held for, and costs at most; or why it is not taken. */
export function boundSeconds(file: Uint8Array): RecordingBound {
  const measured = measureRecording(file)
  if (measured.outcome === 'refused') return measured
  return { outcome: 'measured', secondCount: begunSeconds(measured.seconds), extension: measured.extension }
}

export interface ChargedSeconds {
  secondCount: number
  /** Whether that is the upstream's word. */
  isTold: boolean
  /** What the upstream told beyond the bound, and nobody pays. */
  excessSecondCount: number
}

/**
 * What a recording costs, in begun seconds: what the upstream tells up to the bound, and the bound where
 * it tells nothing that its length can be.
 */
export function chargedSeconds(toldSeconds: number | null, secondCountMax: number): ChargedSeconds {
  const told = toldSeconds !== null && toldSeconds > 0 ? begunSeconds(toldSeconds) : null
  // The bound was counted frame by frame: an upstream that heard less than half of it is mistaken, or guesses.
  if (told !== null && told <= secondCountMax && told * 2 >= secondCountMax) {
    return { secondCount: told, isTold: true, excessSecondCount: 0 }
  }
  return {
    secondCount: secondCountMax,
    isTold: false,
    excessSecondCount: Math.max(0, (told ?? secondCountMax) - secondCountMax),
  }
}

/** Longer than any recording that is taken, and short enough to be reckoned with. */
const SECOND_COUNT_MAX = 7 * 24 * 3600

/** Whole seconds, each begun one counted; at least one. */
function begunSeconds(seconds: number): number {
  return Math.min(SECOND_COUNT_MAX, Math.max(1, Math.ceil(seconds)))
}

/** The dearest there ever is where it depends on the hour; how many tokens were heard nobody tells. */
export function priceTranscription(prices: Prices, secondCount: number): Nano {
  const known = dearestPrices(prices, { inputTokenCountMin: 0, inputTokenCountMax: Number.MAX_SAFE_INTEGER })
  return priceSeconds(known.inputSecond ?? ZERO, known.request, secondCount)
}
