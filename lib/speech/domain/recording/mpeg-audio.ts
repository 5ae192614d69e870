import { type RecordingBytes, refuse } from './recording-bytes'
import { SoundLength } from './sound-length'
import { tagEnd } from './tags'

/** Kilobits per second of layers I, II and III in MPEG-1, then of layer I and of the others in MPEG-2. */
const KILOBITS = {
  layer1: [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  layer2: [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  layer3: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  lowLayer1: [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  lowLayer23: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
}
const MPEG1_RATES = [44_100, 48_000, 32_000]
const RESERVED_VERSION = 1
const MPEG1 = 3
const LAYER1 = 3
const LAYER3 = 1
const RESERVED_EMPHASIS = 2

/** Fragments of frames and foreign tags between frames; a file with more is not just damaged sound. */
const GARBAGE_BYTES_MAX = 16 * 1024
/** Tags and zeros between frames, from concatenated songs or around damaged frames. */
const GAP_COUNT_MAX = 100_000
/** Frames of 8 kbit/s, the lowest rate: the most that a decoder could find where we find nothing. */
const THINNEST_BYTES_PER_SECOND = 1_000

/**
 * The four bytes of a frame header (ISO 11172-3, 13818-3), or 0. Also 0 for a free bit rate, which has no known length.
 */
export function mpegHeaderAt(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== 0xff || ((bytes[at + 1] ?? 0) & 0xe0) !== 0xe0) return 0
  const second = bytes[at + 1] ?? 0
  const third = bytes[at + 2] ?? 0xff
  const fourth = bytes[at + 3] ?? 0xff
  const reserved =
    ((second >> 3) & 3) === RESERVED_VERSION ||
    (second & 6) === 0 ||
    (third & 0xf0) === 0xf0 ||
    (third & 0xf0) === 0 ||
    (third & 0x0c) === 0x0c ||
    (fourth & 3) === RESERVED_EMPHASIS
  return reserved ? 0 : ((second << 16) | (third << 8) | fourth) >>> 0
}

export function mpegFrameBytes(header: number): number {
  const version = (header >> 19) & 3
  const layer = (header >> 17) & 3
  const bitsPerSecond = kilobitsOf(version, layer, (header >> 12) & 15) * 1_000
  const padding = (header >> 9) & 1
  const rate = mpegRate(header)
  if (layer === LAYER1) return (Math.floor((12 * bitsPerSecond) / rate) + padding) * 4
  const slots = layer === LAYER3 && version !== MPEG1 ? 72 : 144
  return Math.floor((slots * bitsPerSecond) / rate) + padding
}

function kilobitsOf(version: number, layer: number, index: number): number {
  const { layer1, layer2, layer3, lowLayer1, lowLayer23 } = KILOBITS
  const low = layer === LAYER1 ? lowLayer1 : lowLayer23
  const high = layer === LAYER1 ? layer1 : layer === LAYER3 ? layer3 : layer2
  return (version === MPEG1 ? high : low)[index] ?? 0
}

/** MPEG-2 halves the rates of MPEG-1, and MPEG-2.5 (version 0) quarters them. */
function mpegRate(header: number): number {
  const version = (header >> 19) & 3
  return (MPEG1_RATES[(header >> 10) & 3] ?? 0) / (version === MPEG1 ? 1 : version === 0 ? 4 : 2)
}

function mpegSamples(header: number): number {
  const layer = (header >> 17) & 3
  if (layer === LAYER1) return 384
  return layer === LAYER3 && ((header >> 19) & 3) !== MPEG1 ? 576 : 1152
}

/** Whether frames begin here, or after zeros, which some writers add to a tag. */
export function isMpeg({ bytes }: RecordingBytes, start: number): boolean {
  const first = skipZeros(bytes, start)
  const header = mpegHeaderAt(bytes, first)
  const next = first + mpegFrameBytes(header)
  return header !== 0 && (next === bytes.length || mpegHeaderAt(bytes, next) !== 0)
}

/** Where the padding with zeros at the end begins. */
function zerosBefore(bytes: Uint8Array, start: number, end: number): number {
  let at = end
  while (at > start && bytes[at - 1] === 0) at -= 1
  return at
}

function skipZeros(bytes: Uint8Array, start: number): number {
  let at = start
  while (bytes[at] === 0) at += 1
  return at
}

export function measureMpeg(source: RecordingBytes, start: number): number {
  const length = new SoundLength()
  addMpegFrames(source, start, source.length, length)
  return length.seconds
}

/** Adds consecutive frames; the last may be cut off. */
export function addMpegFrames(source: RecordingBytes, start: number, end: number, length: SoundLength): void {
  const { bytes } = source
  const zerosAt = zerosBefore(bytes, start, end)
  let garbageByteCount = 0
  let frameCount = 0
  let gapCount = 0
  for (let at = start; at < end; ) {
    const header = mpegHeaderAt(bytes, at)
    if (header !== 0) {
      length.add(mpegSamples(header), mpegRate(header))
      frameCount += 1
      const next = at + mpegFrameBytes(header)
      if (next > end ? !holdsHeader(bytes, at + 1, end) : next >= zerosAt || continuesAt(source, next)) {
        at = next
        continue
      }
    }
    if (header === 0 && hasFreeBitRate(bytes, at)) refuse('MP3 with a free bit rate is not accepted.')
    const afterTag = bytes[at] === 0 ? skipZeros(bytes, at) : skipSilentTag(source, at)
    if (afterTag > at) gapCount += 1
    else garbageByteCount += 1
    if (garbageByteCount > GARBAGE_BYTES_MAX || gapCount > GAP_COUNT_MAX) refuse('The MP3 file is damaged.')
    at = Math.max(afterTag, at + 1)
  }
  if (frameCount === 0) refuse('The MP3 file contains no sound.')
  length.add(garbageByteCount, THINNEST_BYTES_PER_SECOND)
}

/** A frame before anything else may be a mistake: some decoders then look for another one inside it. */
function continuesAt(source: RecordingBytes, at: number): boolean {
  return mpegHeaderAt(source.bytes, at) !== 0 || tagEnd(source, at) > at
}

/** Some decoders look for frames in a tag between frames. */
function skipSilentTag(source: RecordingBytes, at: number): number {
  const end = tagEnd(source, at)
  if (holdsHeader(source.bytes, at, end)) refuse('The MP3 file hides sound in a tag.')
  return end
}

function holdsHeader(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (mpegHeaderAt(bytes, at) !== 0) return true
  return false
}

function hasFreeBitRate(bytes: Uint8Array, at: number): boolean {
  const third = bytes[at + 2] ?? 0xff
  if (bytes[at] !== 0xff || (third & 0xf0) !== 0 || (third & 0x0c) === 0x0c) return false
  const second = bytes[at + 1] ?? 0
  return (second & 0xe0) === 0xe0 && ((second >> 3) & 3) !== RESERVED_VERSION && (second & 6) !== 0
}
