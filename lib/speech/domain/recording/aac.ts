import { AacBits } from './aac-bits'
import { AacFrames } from './aac-frame'
import { type RecordingBytes, refuse } from './recording-bytes'
import { SoundLength } from './sound-length'

/** Samples per second by their index (ISO 14496-3, 1.6.3.4). */
const RATES = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
]
const FRAME_SAMPLES = 1_024
/** The size of a decoder's buffer per channel. A longer frame is several in one. */
const FRAME_BYTES_PER_CHANNEL_MAX = 768
/** Channels of the configurations 0 (specified elsewhere, assumed to be many) to 7. */
const CHANNELS = [8, 1, 2, 3, 4, 5, 6, 8]
const ADTS_HEADER_BYTES = 7
const CHECKSUM_BYTES = 2
const FRAME_START = 0xff

export interface AacStream {
  rateIndex: number
  channelCount: number
}

export function isAdts(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === FRAME_START && ((bytes[at + 1] ?? 0) & 0xf6) === 0xf0
}

/** A file of AAC frames, each with a header of its own (ADTS); the last may be cut off. */
export function measureAdts(source: RecordingBytes, start: number): number {
  const { bytes } = source
  const length = new SoundLength()
  const counter = new AacCounter(source, length)
  let at = start
  while (isAdts(bytes, at) && at + ADTS_HEADER_BYTES <= bytes.length) {
    const third = source.byte(at + 2)
    const isLowComplexity = third >> 6 === LOW_COMPLEXITY - 1
    const headBytes = ADTS_HEADER_BYTES + ((source.byte(at + 1) & 1) === 1 ? 0 : CHECKSUM_BYTES)
    const byteCount = adtsFrameBytes(bytes, at)
    const hasSeveralBlocks = (source.byte(at + 6) & 3) > 0
    if (byteCount < headBytes) refuse('The AAC file is damaged.')
    if (!isLowComplexity || hasSeveralBlocks) refuse('This kind of AAC is not accepted.')
    const rateIndex = (third >> 2) & 15
    const channelCount = CHANNELS[((third & 1) << 2) | (source.byte(at + 3) >> 6)] ?? 0
    counter.add({ rateIndex, channelCount }, at + headBytes, byteCount - headBytes)
    if (at + byteCount > bytes.length && holdsAdts(bytes, at + 1)) refuse('The AAC file is damaged.')
    at += byteCount
  }
  // Whatever follows the last frame, such as a tag, cannot contain a frame without this byte.
  if (bytes.indexOf(FRAME_START, at) >= 0) refuse('The AAC file is damaged.')
  return length.seconds
}

/** Decoders that skip a cut-off frame look for others inside it. */
function holdsAdts(bytes: Uint8Array, start: number): boolean {
  for (let at = start; at < bytes.length; at += 1) if (isAdts(bytes, at)) return true
  return false
}

/** Including its header. */
export function adtsFrameBytes(bytes: Uint8Array, at: number): number {
  return (((bytes[at + 3] ?? 0) & 3) << 11) | ((bytes[at + 4] ?? 0) << 3) | ((bytes[at + 5] ?? 0) >> 5)
}

/** This much is checked, in 40 ms; of a larger file as much, in frames selected by its whole content. */
const CHECKED_BYTES_MAX = 2 * 1024 * 1024
const DIGEST_STRIDE = 64

/** Counts AAC frames without headers, as containers store them. */
export class AacCounter {
  /** By the index of their rate. */
  readonly #frames = new Map<number, AacFrames>()
  readonly #checkedPart: number
  readonly #seed: number

  constructor(
    private readonly source: RecordingBytes,
    private readonly length: SoundLength,
  ) {
    this.#checkedPart = CHECKED_BYTES_MAX / source.length
    this.#seed = this.#checkedPart < 1 ? digest(source) : 0
  }

  add({ rateIndex, channelCount }: AacStream, at: number, byteCount: number): void {
    const { bytes } = this.source
    // Decoders take this for a header, which specifies a rate of its own.
    const isHeader = byteCount > 1 && bytes[at] === FRAME_START && (bytes[at + 1] ?? 0) >= 0xf0
    if (isHeader) refuse('The AAC sound names its sampling rate twice.')
    this.length.add(FRAME_SAMPLES, RATES[rateIndex] ?? 0)
    const isLong = byteCount > channelCount * FRAME_BYTES_PER_CHANNEL_MAX
    if (isLong || (this.isChecked(at) && this.isFollowed(rateIndex, at, byteCount))) {
      refuse('The AAC sound contains frames in frames.')
    }
  }

  private isChecked(at: number): boolean {
    const mixed = Math.imul(this.#seed ^ at, 0x9e3779b1)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32 <= this.#checkedPart
  }

  /** Whether the frame ends before its packet does; decoders then continue with the rest. */
  private isFollowed(rateIndex: number, at: number, byteCount: number): boolean {
    const end = Math.min(this.source.length, at + byteCount)
    const frameEnd = this.framesOf(rateIndex).endOf(at, end)
    return frameEnd !== null && !this.source.isZero(frameEnd, end)
  }

  private framesOf(rateIndex: number): AacFrames {
    const known = this.#frames.get(rateIndex)
    if (known !== undefined) return known
    const frames = new AacFrames(this.source.bytes, rateIndex)
    this.#frames.set(rateIndex, frames)
    return frames
  }
}

/** A number that cannot be predicted without the whole file. */
function digest({ view, length }: RecordingBytes): number {
  let mixed = length
  for (let at = 0; at + 4 <= length; at += DIGEST_STRIDE) {
    mixed = Math.imul(mixed ^ view.getUint32(at), 0x01000193)
    mixed ^= mixed >>> 13
  }
  return mixed
}

/** The only supported type of frame, by itself or with an extension for more rate or channels. */
const LOW_COMPLEXITY = 2
const EXTENDED_KINDS = new Set([5, 29])

/** Reads an AudioSpecificConfig (ISO 14496-3, 1.6.2.1). */
export function readAacStream(source: RecordingBytes, start: number, end: number): AacStream {
  const bits = new AacBits(source.bytes)
  bits.open(start, end)
  const kind = bits.read(5)
  const rateIndex = bits.read(4)
  const channelCount = CHANNELS[bits.read(4)] ?? 0
  const isExtended = EXTENDED_KINDS.has(kind)
  // The rate of the extension, which does not affect the length of a frame.
  if (isExtended) bits.read(4)
  const innerKind = isExtended ? bits.read(5) : kind
  if (bits.isOver || innerKind !== LOW_COMPLEXITY || channelCount === 0 || rateIndex >= RATES.length) {
    refuse('This kind of AAC is not accepted.')
  }
  return { rateIndex, channelCount }
}
