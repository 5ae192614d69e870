import { PART_COUNT_MAX, type RecordingBytes, refuse } from './recording-bytes'
import { SoundLength } from './sound-length'

export const FLAC_STREAM_INFO_BYTES = 34
const FRAME_START = 0xff
const LAST_BLOCK = 0x80
/** A block type that never occurs, so that the beginning of a frame is not taken for metadata. */
const INVALID_BLOCK = 127
const BLOCK_SAMPLES_MIN = 16

/** Samples per second of the codes 1 to 11 in a frame header (RFC 9639, 9.1.2). */
const RATES = [0, 88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000]

export interface FlacStream {
  samplesPerSecond: number
  /** From the header; 0 if unknown. */
  sampleCount: number
}

export function measureFlac(source: RecordingBytes, start: number): number {
  const { stream, end } = readMetadata(source, start + 4)
  const length = new SoundLength()
  addFlacFrames(source, end, source.length, stream, length)
  if (length.seconds === 0) refuse('The FLAC file contains no sound.')
  return Math.max(length.seconds, stream.sampleCount / stream.samplesPerSecond)
}

function readMetadata(source: RecordingBytes, start: number): { stream: FlacStream; end: number } {
  let at = start
  let stream: FlacStream | null = null
  for (let isLast = false, block = 0; !isLast; block += 1) {
    if (block === PART_COUNT_MAX) refuse('The FLAC file is damaged.')
    const kind = source.byte(at)
    const byteCount = source.uint24(at + 1)
    isLast = (kind & LAST_BLOCK) !== 0
    const isStreamInfo = (kind & ~LAST_BLOCK) === 0
    if (isStreamInfo !== (stream === null) || (kind & ~LAST_BLOCK) === INVALID_BLOCK)
      refuse('The FLAC file is damaged.')
    if (isStreamInfo) stream = readFlacStream(source, at + 4, byteCount)
    at += 4 + byteCount
  }
  if (stream === null || at > source.length) refuse('The FLAC file is damaged.')
  return { stream, end: at }
}

/** Reads the first metadata block. One that decoders would also reject makes them look for other formats. */
export function readFlacStream(source: RecordingBytes, at: number, byteCount: number): FlacStream {
  const samplesPerSecond = byteCount === FLAC_STREAM_INFO_BYTES ? source.uint24(at + 10) >> 4 : 0
  const blockSizeMin = source.uint16(at)
  if (samplesPerSecond === 0 || blockSizeMin < BLOCK_SAMPLES_MIN || blockSizeMin > source.uint16(at + 2)) {
    refuse('The FLAC file is damaged.')
  }
  return { samplesPerSecond, sampleCount: (source.byte(at + 13) & 15) * 2 ** 32 + source.uint32(at + 14) }
}

/**
 * Adds every frame between two positions. A frame does not contain its size, so every position is checked that looks
 * like a beginning and whose header has the right checksum; by chance that happens once in 25 MB.
 */
export function addFlacFrames(
  { bytes }: RecordingBytes,
  start: number,
  end: number,
  stream: FlacStream,
  length: SoundLength,
): void {
  length.add(0, stream.samplesPerSecond)
  // Every second byte is checked, since a frame begins with two bytes, one of which must be there.
  for (let at = start; at <= end; at += 2) {
    const byte = bytes[at] ?? 0
    if (byte === FRAME_START) {
      if (at < end && ((bytes[at + 1] ?? 0) & 0xfe) === 0xf8) addFrameAt(bytes, at, stream, length)
    } else if ((byte & 0xfe) === 0xf8 && bytes[at - 1] === FRAME_START && at > start) {
      addFrameAt(bytes, at - 1, stream, length)
    }
  }
}

/** Adds the frame whose header is at this position (RFC 9639, 9.1), if there is one. */
function addFrameAt(bytes: Uint8Array, at: number, stream: FlacStream, length: SoundLength): void {
  const third = bytes[at + 2] ?? 0
  const fourth = bytes[at + 3] ?? 1
  const sizeCode = third >> 4
  const rateCode = third & 15
  if (sizeCode === 0 || rateCode === 15 || fourth >> 4 > 10 || (fourth & 0x0e) === 0x06) return
  const numberBytes = codedNumberBytes(bytes[at + 4] ?? 0xff)
  if ((fourth & 1) === 1 || numberBytes === 0) return
  let next = at + 4 + numberBytes
  let sampleCount = sizeCode === 1 ? 192 : sizeCode < 6 ? 576 << (sizeCode - 2) : 256 << (sizeCode - 8)
  if (sizeCode === 6) sampleCount = (bytes[next++] ?? 0) + 1
  if (sizeCode === 7) sampleCount = (((bytes[next++] ?? 0) << 8) | (bytes[next++] ?? 0)) + 1
  let samplesPerSecond = RATES[rateCode] ?? 0
  if (rateCode === 12) samplesPerSecond = (bytes[next++] ?? 0) * 1_000
  if (rateCode === 13) samplesPerSecond = ((bytes[next++] ?? 0) << 8) | (bytes[next++] ?? 0)
  if (rateCode === 14) samplesPerSecond = (((bytes[next++] ?? 0) << 8) | (bytes[next++] ?? 0)) * 10
  let checksum = 0
  for (let index = at; index < next; index += 1) checksum = CHECKSUMS[checksum ^ (bytes[index] ?? 0)] ?? 0
  if (checksum === bytes[next]) length.add(sampleCount, samplesPerSecond || stream.samplesPerSecond)
}

/** Like UTF-8, up to seven bytes; 0 if a number cannot begin like this. */
function codedNumberBytes(first: number): number {
  if (first < 0x80) return 1
  if (first < 0xc0 || first === 0xff) return 0
  return Math.clz32(~first & 0xff) - 24
}

/** CRC-8 of each byte, for the polynomial x^8 + x^2 + x + 1. */
const CHECKSUMS = Uint8Array.from({ length: 256 }, (_, byte) => {
  let checksum = byte
  for (let bit = 0; bit < 8; bit += 1) checksum = (checksum << 1) ^ (checksum & 0x80 ? 0x107 : 0)
  return checksum
})
