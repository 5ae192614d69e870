import type { Prices } from '@/lib/catalogue/domain/model'
import { dearestPrices } from '@/lib/catalogue/domain/price-overrides'
import { ZERO } from '@/lib/money/decimal'
import type { Nano } from '@/lib/money/nano'
import { priceSeconds, startedSeconds } from './estimate-speech'
import { measureRecording, type RecordingExtension } from './recording-length'

export type RecordingBound =
  | { outcome: 'measured'; secondCount: number; extension: RecordingExtension }
  | { outcome: 'refused'; reason: string }

/** The started seconds that a recording is held for, and costs at most; or why it is refused. */
export function boundSeconds(file: Uint8Array): RecordingBound {
  const measured = measureRecording(file)
  if (measured.outcome === 'refused') return measured
  return { outcome: 'measured', secondCount: startedSeconds(measured.seconds), extension: measured.extension }
}

export interface ChargedSeconds {
  secondCount: number
  /** Whether the upstream reported it. */
  isReported: boolean
  /** The seconds that the upstream reported beyond the bound, for which nobody pays. */
  excessSecondCount: number
}

/**
 * What a recording costs, in started seconds: the upstream's report up to the bound, or the bound if the report cannot
 * be the length.
 */
export function chargedSeconds(reportedSeconds: number | null, secondCountMax: number): ChargedSeconds {
  const reported = reportedSeconds !== null && reportedSeconds > 0 ? startedSeconds(reportedSeconds) : null
  // The bound was counted frame by frame: an upstream that heard less than half of it is wrong, or guesses.
  if (reported !== null && reported <= secondCountMax && reported * 2 >= secondCountMax) {
    return { secondCount: reported, isReported: true, excessSecondCount: 0 }
  }
  return {
    secondCount: secondCountMax,
    isReported: false,
    excessSecondCount: Math.max(0, (reported ?? secondCountMax) - secondCountMax),
  }
}

/** The highest price if it depends on the hour, since nobody reports how many tokens were heard. */
export function priceTranscription(prices: Prices, secondCount: number): Nano {
  const known = dearestPrices(prices, { inputTokenCountMin: 0, inputTokenCountMax: Number.MAX_SAFE_INTEGER })
  const { inputSecond: second, recordingMin: least, request } = known
  return priceSeconds({ second: second ?? ZERO, least: least ?? ZERO, request }, secondCount)
}
