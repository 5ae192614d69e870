import { AacBits, AacCodes } from './aac-bits'
import { bandWidths, SCALE_FACTOR_CODES, SPECTRAL_CODES } from './aac-tables'
import { refuse } from './recording-bytes'

const ELEMENT = { single: 0, pair: 1, low: 3, data: 4, program: 5, fill: 6, end: 7 }
const SHORT_WINDOWS = 2
/** Above the reserved codebook are noise and intensity only. */
const CODEBOOK = { zero: 0, reserved: 12, noise: 13 }
const MIDDLE_AND_SIDE = { byBand: 1, reserved: 3 }
const GAIN_BITS = 8
const FIRST_PAIR_CODEBOOK = 5
const NOISE_START_BITS = 9
const BANDS_MAX = 64
const TNS_ORDER_MAX = { short: 7, long: 12 }

const scaleFactors = new AacCodes(SCALE_FACTOR_CODES)
const spectra = SPECTRAL_CODES.map(table => new AacCodes(table))

/**
 * Finds the end of an AAC-LC frame (ISO 14496-3, 4.4.2), at one rate. Decoders continue with whatever follows it in the
 * same packet, so that one packet may play as long as hundreds.
 */
export class AacFrames {
  readonly #bits: AacBits
  readonly #longWidths: readonly number[]
  readonly #shortWidths: readonly number[]
  /** Of the channel that is being read; both of a pair may share them. */
  #isShort = false
  #bandCount = 0
  #groupCount = 1
  readonly #groupWindows = new Uint8Array(8)
  readonly #codebooks = new Uint8Array(8 * BANDS_MAX)

  constructor(bytes: Uint8Array, rateIndex: number) {
    this.#bits = new AacBits(bytes)
    this.#longWidths = bandWidths(rateIndex, false)
    this.#shortWidths = bandWidths(rateIndex, true)
  }

  /** @returns the position after the frame's last byte, or null for a frame that decoders skip. */
  endOf(start: number, end: number): number | null {
    const bits = this.#bits
    bits.open(start, end)
    while (!bits.isOver) {
      const element = bits.read(3)
      if (element === ELEMENT.end) {
        bits.align()
        return bits.isOver ? null : bits.at / 8
      }
      if (!this.skipElement(element)) return null
    }
    return null
  }

  private skipElement(element: number): boolean {
    const bits = this.#bits
    switch (element) {
      case ELEMENT.single:
      case ELEMENT.low:
        bits.skip(4)
        return this.skipChannel(false)
      case ELEMENT.pair:
        bits.skip(4)
        return this.skipPair()
      case ELEMENT.data: {
        bits.skip(4)
        const isAligned = bits.read(1) === 1
        const byteCount = bits.read(8)
        const moreByteCount = byteCount === 255 ? bits.read(8) : 0
        if (isAligned) bits.align()
        bits.skip((byteCount + moreByteCount) * 8)
        return true
      }
      case ELEMENT.fill: {
        const byteCount = bits.read(4)
        bits.skip((byteCount < 15 ? byteCount : 14 + bits.read(8)) * 8)
        return true
      }
      case ELEMENT.program:
        return this.skipProgram()
    }
    refuse('This kind of AAC is not accepted.')
  }

  private skipPair(): boolean {
    const bits = this.#bits
    const isShared = bits.read(1) === 1
    if (isShared) {
      if (!this.skipWindows()) return false
      const middleAndSide = bits.read(2)
      if (middleAndSide === MIDDLE_AND_SIDE.reserved) return false
      if (middleAndSide === MIDDLE_AND_SIDE.byBand) bits.skip(this.#groupCount * this.#bandCount)
    }
    return this.skipChannel(isShared) && this.skipChannel(isShared)
  }

  /** A description of the channels. */
  private skipProgram(): boolean {
    const bits = this.#bits
    bits.skip(4 + 2 + 4)
    const wideCount = bits.read(4) + bits.read(4) + bits.read(4)
    const narrowCount = bits.read(2) + bits.read(3)
    const couplingCount = bits.read(4)
    for (const mixBits of [4, 4, 3]) if (bits.read(1) === 1) bits.skip(mixBits)
    bits.skip((wideCount + couplingCount) * 5 + narrowCount * 4)
    bits.align()
    bits.skip(bits.read(8) * 8)
    return true
  }

  private skipChannel(hasWindows: boolean): boolean {
    const bits = this.#bits
    bits.skip(GAIN_BITS)
    if (!hasWindows && !this.skipWindows()) return false
    if (!this.readSections()) return false
    this.skipScaleFactors()
    if (bits.read(1) === 1) {
      if (this.#isShort) return false
      const pulseCount = bits.read(2) + 1
      bits.skip(6 + pulseCount * (5 + 4))
    }
    if (bits.read(1) === 1 && !this.skipNoiseShaping()) return false
    if (bits.read(1) === 1) refuse('This kind of AAC is not accepted.')
    return this.skipSpectrum()
  }

  private skipWindows(): boolean {
    const bits = this.#bits
    bits.skip(1)
    this.#isShort = bits.read(2) === SHORT_WINDOWS
    bits.skip(1)
    this.#bandCount = bits.read(this.#isShort ? 4 : 6)
    this.#groupCount = 1
    this.#groupWindows[0] = 1
    if (!this.#isShort) {
      const isPredicted = bits.read(1) === 1
      return !isPredicted && this.#bandCount <= this.#longWidths.length
    }
    for (let window = 1; window < 8; window += 1) {
      const isSameGroup = bits.read(1) === 1
      if (!isSameGroup) this.#groupWindows[this.#groupCount++] = 0
      this.#groupWindows[this.#groupCount - 1] = (this.#groupWindows[this.#groupCount - 1] ?? 0) + 1
    }
    return this.#bandCount <= this.#shortWidths.length
  }

  /** Reads which codebook each band uses. */
  private readSections(): boolean {
    const bits = this.#bits
    const lengthBits = this.#isShort ? 3 : 5
    const more = (1 << lengthBits) - 1
    for (let group = 0; group < this.#groupCount; group += 1) {
      for (let band = 0; band < this.#bandCount; ) {
        const codebook = bits.read(4)
        let end = band
        let part = more
        while (part === more && !bits.isOver) {
          part = bits.read(lengthBits)
          end += part
        }
        if (codebook === CODEBOOK.reserved || end > this.#bandCount || bits.isOver) return false
        this.#codebooks.fill(codebook, group * BANDS_MAX + band, group * BANDS_MAX + end)
        band = end
      }
    }
    return true
  }

  private skipScaleFactors(): void {
    const bits = this.#bits
    let isFirstNoise = true
    for (let group = 0; group < this.#groupCount; group += 1) {
      for (let band = 0; band < this.#bandCount; band += 1) {
        const codebook = this.#codebooks[group * BANDS_MAX + band]
        if (codebook === CODEBOOK.zero) continue
        if (codebook === CODEBOOK.noise && isFirstNoise) {
          bits.skip(NOISE_START_BITS)
          isFirstNoise = false
        } else scaleFactors.skip(bits)
      }
    }
  }

  private skipNoiseShaping(): boolean {
    const bits = this.#bits
    const isShort = this.#isShort
    for (let window = 0; window < (isShort ? 8 : 1); window += 1) {
      const filterCount = bits.read(isShort ? 1 : 2)
      const resolution = filterCount === 0 ? 0 : bits.read(1) + 3
      for (let filter = 0; filter < filterCount; filter += 1) {
        bits.skip(isShort ? 4 : 6)
        const order = bits.read(isShort ? 3 : 5)
        if (order > (isShort ? TNS_ORDER_MAX.short : TNS_ORDER_MAX.long)) return false
        if (order === 0) continue
        bits.skip(1)
        const isCompressed = bits.read(1) === 1
        bits.skip(order * (isCompressed ? resolution - 1 : resolution))
      }
    }
    return true
  }

  private skipSpectrum(): boolean {
    const bits = this.#bits
    const widths = this.#isShort ? this.#shortWidths : this.#longWidths
    for (let group = 0; group < this.#groupCount; group += 1) {
      const windowCount = this.#groupWindows[group] ?? 0
      for (let band = 0; band < this.#bandCount; band += 1) {
        const codebook = this.#codebooks[group * BANDS_MAX + band] ?? 0
        const codes = spectra[codebook - 1]
        if (codes === undefined) continue
        const numberCount = (widths[band] ?? 0) * windowCount
        const codeCount = numberCount / (codebook < FIRST_PAIR_CODEBOOK ? 4 : 2)
        for (let code = 0; code < codeCount; code += 1) if (!codes.skip(bits)) return false
        if (bits.isOver) return false
      }
    }
    return true
  }
}
