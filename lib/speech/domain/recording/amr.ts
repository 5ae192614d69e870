import { type RecordingBytes, refuse } from './recording-bytes'
import { SoundLength } from './sound-length'

/**
 * Bytes of a frame by its type, including the header; 0 for the types that decoders interpret differently (RFC 4867).
 */
const NARROW_BAND = [13, 14, 16, 18, 20, 21, 27, 32, 6, 0, 0, 0, 0, 0, 0, 1]
const WIDE_BAND = [18, 24, 33, 37, 41, 47, 51, 59, 61, 6, 0, 0, 0, 0, 1, 1]
const FRAMES_PER_SECOND = 50

const NARROW_BAND_MAGIC = '#!AMR\n'
const WIDE_BAND_MAGIC = '#!AMR-WB\n'

export function isAmr(source: RecordingBytes): boolean {
  return source.has(NARROW_BAND_MAGIC, 0) || source.has(WIDE_BAND_MAGIC, 0)
}

export function measureAmr(source: RecordingBytes): number {
  const isWide = source.has(WIDE_BAND_MAGIC, 0)
  const length = new SoundLength()
  const start = isWide ? WIDE_BAND_MAGIC.length : NARROW_BAND_MAGIC.length
  addAmrFrames(source, start, source.length, isWide, length)
  return length.seconds
}

/** Adds consecutive frames of 20 ms; the last may be cut off. */
export function addAmrFrames(
  { bytes }: RecordingBytes,
  start: number,
  end: number,
  isWide: boolean,
  length: SoundLength,
): void {
  const sizes = isWide ? WIDE_BAND : NARROW_BAND
  for (let at = start; at < end; ) {
    const byteCount = sizes[((bytes[at] ?? 0) >> 3) & 15] ?? 0
    if (byteCount === 0) refuse('The AMR recording is damaged.')
    length.add(1, FRAMES_PER_SECOND)
    at += byteCount
  }
}
