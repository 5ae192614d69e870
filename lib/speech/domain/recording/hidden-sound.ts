import { adtsFrameBytes, isAdts } from './aac'
import { mpegFrameBytes, mpegHeaderAt } from './mpeg-audio'
import type { RecordingBytes } from './recording-bytes'

/** How much ffmpeg reads, at most, before it has decided on a file's format: 32 packets of 64 kB. */
const PROBED_BYTES = 2 * 1024 * 1024

/** What makes it detect compressed sound, whatever the header says: frames at the start, or many anywhere. */
const FRAMES_AT_START_MIN = 3
const FRAMES_ANYWHERE_MIN = 8
/** The sync words of DTS and TrueHD frames, and of each burst of sound for an amplifier. */
const FRAME_WORDS = new Set([
  0x7ffe8001, 0xfe7f0180, 0x1fffe800, 0xff1f00e8, 0xf8726fba, 0x72f81f4e, 0xf8724e1f,
])
const FRAME_WORDS_MIN = 3

/** Whether plain samples could also be read as frames of MP3, AAC, AC-3, DTS or TrueHD. */
export function holdsCompressedSound({ bytes, view }: RecordingBytes, start: number): boolean {
  let first = start
  while (bytes[first] === 0) first += 1
  if (hasFrames(bytes, start, FRAMES_AT_START_MIN) || hasFrames(bytes, first, FRAMES_AT_START_MIN))
    return true
  let frameWordCount = 0
  const end = Math.min(first + PROBED_BYTES, bytes.length - 4)
  for (let at = first; at <= end; at += 1) {
    switch (bytes[at]) {
      case 0xff:
      case 0x56:
      case 0x0b:
      case 0x77:
        if (hasFrames(bytes, at, FRAMES_ANYWHERE_MIN)) return true
    }
    switch (((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)) {
      case 0x7ffe:
      case 0xfe7f:
      case 0x1fff:
      case 0xff1f:
      case 0xf872:
      case 0x72f8:
        if (FRAME_WORDS.has(view.getUint32(at))) frameWordCount += 1
    }
  }
  return frameWordCount >= FRAME_WORDS_MIN
}

function hasFrames(bytes: Uint8Array, start: number, frameCount: number): boolean {
  let at = start
  for (let frame = 0; frame < frameCount; frame += 1) {
    const byteCount = frameBytesAt(bytes, at)
    if (byteCount === 0) return false
    at += byteCount
  }
  return true
}

/** The size of the frame that begins here, or 0. */
function frameBytesAt(bytes: Uint8Array, at: number): number {
  const next = bytes[at + 1] ?? 0
  switch (bytes[at]) {
    case 0xff: {
      const header = mpegHeaderAt(bytes, at)
      if (header !== 0) return mpegFrameBytes(header)
      return isAdts(bytes, at) ? adtsFrameBytes(bytes, at) : 0
    }
    // AAC as used in broadcasting (LOAS).
    case 0x56:
      return (next & 0xe0) === 0xe0 ? (((next & 0x1f) << 8) | (bytes[at + 2] ?? 0)) + 3 : 0
    case 0x0b:
      return next === 0x77 ? ac3FrameBytes(bytes, at, 0) : 0
    // The same in 16-bit words of the other byte order.
    case 0x77:
      return next === 0x0b ? ac3FrameBytes(bytes, at, 1) : 0
  }
  return 0
}

const AC3_KILOBITS = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640]
const AC3_KILOHERTZ = [48, 44.1, 32]
const AC3_UNEVEN_RATE = 1

/** AC-3 and E-AC-3 (ETSI TS 102 366), which count in words of two bytes. */
function ac3FrameBytes(bytes: Uint8Array, at: number, swap: 0 | 1): number {
  const third = bytes[at + (2 ^ swap)] ?? 0
  const fourth = bytes[at + (3 ^ swap)] ?? 0
  const fifth = bytes[at + (4 ^ swap)] ?? 0
  const isEnhanced = (bytes[at + (5 ^ swap)] ?? 0) >> 3 > 10
  if (isEnhanced) return ((((third & 7) << 8) | fourth) + 1) * 2
  const rate = fifth >> 6
  const kilobits = AC3_KILOBITS[(fifth & 63) >> 1] ?? 0
  const wordCount = Math.floor((kilobits * 96) / (AC3_KILOHERTZ[rate] ?? Number.POSITIVE_INFINITY))
  return (wordCount + (rate === AC3_UNEVEN_RATE ? fifth & 1 : 0)) * 2
}

const NUT_START = [0x4e, 0x4d, 0x7a, 0x56, 0x1f, 0x5f, 0x04, 0xad]
const MXF_START = [0x06, 0x0e, 0x2b, 0x34, 0x02, 0x05, 0x01, 0x01, 0x0d, 0x01, 0x02, 0x01, 0x01, 0x02]
/** Packs of an MPEG program stream; one or two may be a coincidence. */
const PACKS_MIN = 3
/** A transport stream's packet, plain, with a time before it, or with a checksum after it. */
const TRANSPORT_PACKET_BYTES = [188, 192, 204]
const TRANSPORT_PACKETS_MIN = 8
const TRANSPORT_SYNC = 0x47

/**
 * Whether decoders that search a whole file for their container would find one, and so play something other than its
 * beginning suggests: NUT, MXF, an MPEG transport stream.
 */
export function holdsOtherContainer({ bytes }: RecordingBytes, start: number): boolean {
  const end = Math.min(start + PROBED_BYTES, bytes.length)
  for (let at = start; at < end; at += 1) {
    switch (bytes[at]) {
      case NUT_START[0]:
        if (startsWith(bytes, at, NUT_START)) return true
        break
      case MXF_START[0]:
        if (startsWith(bytes, at, MXF_START)) return true
        break
      case TRANSPORT_SYNC:
        if (isTransportStart(bytes, at)) return true
    }
  }
  return false
}

/** Whether a file without a container of its own contains an MPEG program stream, which decoders prefer. */
export function holdsProgramStream({ bytes }: RecordingBytes, start: number): boolean {
  const end = Math.min(start + PROBED_BYTES, bytes.length)
  let packCount = 0
  for (let at = start; at < end; at += 1) {
    if (bytes[at] !== 0 || bytes[at + 1] !== 0 || bytes[at + 2] !== 1) continue
    if (bytes[at + 3] === 0xba) packCount += 1
  }
  return packCount >= PACKS_MIN
}

function startsWith(bytes: Uint8Array, at: number, start: readonly number[]): boolean {
  return start.every((byte, index) => bytes[at + index] === byte)
}

/** A packet that starts a stream of sound or video, followed by enough others at the right distance. */
function isTransportStart(bytes: Uint8Array, at: number): boolean {
  if (((bytes[at + 1] ?? 0) & 0x40) === 0 || ((bytes[at + 3] ?? 0) & 0x10) === 0) return false
  const hasAdaptation = ((bytes[at + 3] ?? 0) & 0x20) !== 0
  const payload = at + 4 + (hasAdaptation ? (bytes[at + 4] ?? 0) + 1 : 0)
  if (bytes[payload] !== 0 || bytes[payload + 1] !== 0 || bytes[payload + 2] !== 1) return false
  return TRANSPORT_PACKET_BYTES.some(step => {
    let packetCount = 1
    for (
      let next = at + step;
      bytes[next] === TRANSPORT_SYNC && packetCount < TRANSPORT_PACKETS_MIN;
      next += step
    )
      packetCount += 1
    for (
      let last = at - step;
      bytes[last] === TRANSPORT_SYNC && packetCount < TRANSPORT_PACKETS_MIN;
      last -= step
    )
      packetCount += 1
    return packetCount >= TRANSPORT_PACKETS_MIN
  })
}
