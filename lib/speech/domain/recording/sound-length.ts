import { refuse } from './recording-bytes'

/** Twice what the finest recorders write; a rate beyond it is a lie that decoders correct as they like. */
const RATE_MAX = 768_000

/** The thinnest speech that is recorded, 6 kbit/s, fills the largest file in nine hours. */
export const SECONDS_MAX = 24 * 3600

/** Fourteen hours of frames of 20 ms, each of the ten bytes that fit into the largest file so often. */
const FRAME_COUNT_MAX = 2_500_000

/**
 * How long frames play one after the other. Decoders differ on a frame whose rate is not that of the
 * first one; it counts by the slower of both, so that none of them finds more.
 */
export class SoundLength {
  #frameCount = 0
  #firstRate = 0
  #samplesAtFirstRate = 0
  #otherSeconds = 0

  add(sampleCount: number, samplesPerSecond: number): void {
    if (!(samplesPerSecond > 0 && samplesPerSecond <= RATE_MAX)) {
      refuse('The recording tells no sampling rate that sound can have.')
    }
    this.#frameCount += 1
    if (this.#frameCount > FRAME_COUNT_MAX) refuse('The recording is of too many frames.')
    if (this.#firstRate === 0) this.#firstRate = samplesPerSecond
    if (samplesPerSecond >= this.#firstRate) this.#samplesAtFirstRate += sampleCount
    else this.#otherSeconds += sampleCount / samplesPerSecond
    if (this.seconds > SECONDS_MAX) refuse('The recording is longer than a day.')
  }

  get seconds(): number {
    return this.#firstRate === 0 ? 0 : this.#samplesAtFirstRate / this.#firstRate + this.#otherSeconds
  }
}
