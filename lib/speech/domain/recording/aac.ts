import { type RecordingBytes, refuse } from './recording-bytes'
import { SoundLength } from './sound-length'

/** Samples per second by their index (ISO 14496-3, 1.6.3.4). */
const RATES = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
]
const EXPLICIT_RATE = 15
const FRAME_SAMPLES = 1_024
/** What a decoder's buffer holds per channel. A longer frame is several in one. */
const FRAME_BYTES_PER_CHANNEL_MAX = 768
/** Channels of the configurations 0 (told elsewhere, taken as many) to 7. */
const CHANNELS = [8, 1, 2, 3, 4, 5, 6, 8]
const ADTS_HEADER_BYTES = 7
const FRAME_START = 0xff

export interface AacStream {
  samplesPerSecond: number
  channelCount: number
}

export function isAdts(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === FRAME_START && ((bytes[at + 1] ?? 0) & 0xf6) === 0xf0
}

/** A file of AAC frames, each with a header of its own (ADTS), the last of them perhaps cut short. */
export function measureAdts(source: RecordingBytes, start: number): number {
  const { bytes } = source
  const length = new SoundLength()
  let at = start
  while (isAdts(bytes, at) && at + ADTS_HEADER_BYTES <= bytes.length) {
    const third = source.byte(at + 2)
    const samplesPerSecond = RATES[(third >> 2) & 15] ?? 0
    const channelCount = CHANNELS[((third & 1) << 2) | (source.byte(at + 3) >> 6)] ?? 0
    const byteCount = adtsFrameBytes(bytes, at)
    const blockCount = (source.byte(at + 6) & 3) + 1
    checkFrame({ samplesPerSecond, channelCount: channelCount * blockCount }, byteCount - ADTS_HEADER_BYTES)
    length.add(FRAME_SAMPLES * blockCount, samplesPerSecond)
    if (at + byteCount > bytes.length && holdsAdts(bytes, at + 1)) refuse('The AAC file is damaged.')
    at += byteCount
  }
  // What stands behind the last frame, a tag perhaps, can hold none if this byte is not there.
  if (bytes.indexOf(FRAME_START, at) >= 0) refuse('The AAC file is damaged.')
  return length.seconds
}

/** Decoders that leave out a frame because it is cut off look for others inside it. */
function holdsAdts(bytes: Uint8Array, start: number): boolean {
  for (let at = start; at < bytes.length; at += 1) if (isAdts(bytes, at)) return true
  return false
}

/** With its header; at least that. */
export function adtsFrameBytes(bytes: Uint8Array, at: number): number {
  const told = (((bytes[at + 3] ?? 0) & 3) << 11) | ((bytes[at + 4] ?? 0) << 3) | ((bytes[at + 5] ?? 0) >> 5)
  return Math.max(told, ADTS_HEADER_BYTES)
}

/** Adds a frame without a header, as containers hold them. */
export function addAacFrame(
  { bytes }: RecordingBytes,
  at: number,
  byteCount: number,
  stream: AacStream,
  length: SoundLength,
): void {
  // Decoders take this for a header, which tells a rate of its own.
  const isHeader = byteCount > 1 && bytes[at] === FRAME_START && (bytes[at + 1] ?? 0) >= 0xf0
  if (isHeader) refuse('The AAC sound tells its rate twice.')
  checkFrame(stream, byteCount)
  length.add(FRAME_SAMPLES, stream.samplesPerSecond)
}

function checkFrame({ channelCount }: AacStream, byteCount: number): void {
  if (byteCount > channelCount * FRAME_BYTES_PER_CHANNEL_MAX) refuse('The AAC sound holds frames in frames.')
}

/** Kinds of AAC whose frames are of 1,024 samples at the rate told: Main, LC, and LC with its extensions. */
const PLAIN_KINDS = new Set([1, 2])
const EXTENDED_KINDS = new Set([5, 29])

/** An AudioSpecificConfig (ISO 14496-3, 1.6.2.1). */
export function readAacStream(source: RecordingBytes, start: number, end: number): AacStream {
  let bit = start * 8
  const read = (bitCount: number) => {
    let value = 0
    for (; bitCount > 0; bitCount -= 1, bit += 1) {
      if (bit >= end * 8) refuse('The AAC sound does not tell what it is.')
      value = value * 2 + ((source.byte(bit >> 3) >> (7 - (bit & 7))) & 1)
    }
    return value
  }
  const readRate = () => {
    const index = read(4)
    return index === EXPLICIT_RATE ? read(24) : (RATES[index] ?? 0)
  }
  let kind = read(5)
  const samplesPerSecond = readRate()
  const channelCount = CHANNELS[read(4)] ?? 0
  if (EXTENDED_KINDS.has(kind)) {
    readRate()
    kind = read(5)
  }
  if (!PLAIN_KINDS.has(kind) || channelCount === 0) refuse('This kind of AAC is not taken.')
  return { samplesPerSecond, channelCount }
}
