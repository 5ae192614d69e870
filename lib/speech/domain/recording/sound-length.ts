import { refuse } from './recording-bytes'

/** Twice what the best recorders write; a higher rate is false, and decoders correct it in different ways. */
const RATE_MAX = 768_000

/** At the lowest rate that speech is recorded with, 6 kbit/s, the largest file lasts nine hours. */
const SECONDS_MAX = 24 * 3600

export function refuseTooLong(seconds: number): void {
  if (seconds > SECONDS_MAX) refuse('The recording is longer than a day.')
}

/** Fourteen hours of frames of 20 ms, with ten bytes each in the largest file. */
const FRAME_COUNT_MAX = 2_500_000

/**
 * Adds up the length of consecutive frames. Decoders differ on a frame whose rate is not that of the first one; it
 * counts at the slower rate, so that none of them finds more.
 */
export class SoundLength {
  #frameCount = 0
  #firstRate = 0
  #samplesAtFirstRate = 0
  #otherSeconds = 0

  add(sampleCount: number, samplesPerSecond: number): void {
    if (!(samplesPerSecond > 0 && samplesPerSecond <= RATE_MAX)) {
      refuse('The recording has a sampling rate that sound cannot have.')
    }
    this.#frameCount += 1
    if (this.#frameCount > FRAME_COUNT_MAX) refuse('The recording has too many frames.')
    if (this.#firstRate === 0) this.#firstRate = samplesPerSecond
    if (samplesPerSecond >= this.#firstRate) this.#samplesAtFirstRate += sampleCount
    else this.#otherSeconds += sampleCount / samplesPerSecond
    refuseTooLong(this.seconds)
  }

  get seconds(): number {
    return this.#firstRate === 0 ? 0 : this.#samplesAtFirstRate / this.#firstRate + this.#otherSeconds
  }
}
