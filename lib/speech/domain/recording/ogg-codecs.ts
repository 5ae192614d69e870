import { addFlacFrames, FLAC_STREAM_INFO_BYTES, type FlacStream, readFlacStream } from './flac'
import { OPUS_RATE, opusSamples } from './opus-packet'
import { RecordingBytes, refuse } from './recording-bytes'
import { SoundLength } from './sound-length'
import { readVorbisStream, SETUP_BYTES_MAX, VorbisPackets } from './vorbis'

/** A packet, or the part of it on one page. */
interface OggPart {
  /** The number of the packet in its stream. */
  number: number
  at: number
  byteCount: number
  begins: boolean
}

export interface OggCodec {
  addPart(part: OggPart): void
  /** The length of the packets so far. */
  readonly length: SoundLength
  /** The rate of granule positions, if they are known to count samples. */
  readonly samplesPerSecond: number
  /** At the start of the stream, according to its header. */
  readonly skippedSamples: number
  /** At the end of the stream; only then is the length complete. */
  finish?(): void
}

/** The codec named by a stream's first packet. */
export function oggCodecOf(source: RecordingBytes, at: number): OggCodec {
  if (source.has('OpusHead', at)) return opusCodec(source, at)
  if (source.has('\x01vorbis', at)) return vorbisCodec(source)
  if (source.has('\x7fFLAC', at)) return flacCodec(source, at)
  // An index of the other streams.
  if (source.has('fishead\0', at)) {
    return { addPart() {}, length: new SoundLength(), samplesPerSecond: 0, skippedSamples: 0 }
  }
  refuse('The Ogg file contains something other than Opus, Vorbis or FLAC.')
}

function opusCodec(source: RecordingBytes, head: number): OggCodec {
  const length = new SoundLength()
  return {
    addPart({ number, at, byteCount, begins }) {
      if (!begins) return
      if (number === 1 && !source.has('OpusTags', at)) refuse('The Opus sound is damaged.')
      if (number > 1) length.add(opusSamples(source, at, byteCount), OPUS_RATE)
    },
    length,
    samplesPerSecond: OPUS_RATE,
    skippedSamples: source.uint16(head + 10, true),
  }
}

const VORBIS_SETUP_PACKET = 2

function vorbisCodec(source: RecordingBytes): OggCodec {
  const length = new SoundLength()
  const headers: [identification: Uint8Array[], setup: Uint8Array[]] = [[], []]
  let headerByteCount = 0
  let packets: VorbisPackets | null = null
  const codec = {
    addPart({ number, at, byteCount, begins }: OggPart) {
      if (number === 1) return
      if (number <= VORBIS_SETUP_PACKET) {
        headers[number === 0 ? 0 : 1].push(source.bytes.subarray(at, at + byteCount))
        headerByteCount += byteCount
        if (headerByteCount > 2 * SETUP_BYTES_MAX) refuse('The Vorbis sound is damaged.')
        return
      }
      if (packets === null) {
        const stream = readVorbisStream(joined(headers[0]), joined(headers[1]))
        codec.samplesPerSecond = stream.samplesPerSecond
        packets = new VorbisPackets(stream, length)
      }
      if (begins) packets.add(source, at, byteCount)
    },
    length,
    samplesPerSecond: 0,
    skippedSamples: 0,
  }
  return codec
}

/** The metadata's header: a signature, a version, a number of packets, and then the beginning of a FLAC file. */
const FLAC_STREAM_INFO_AT = 17

/** A packet may contain several frames, which may begin on any page, so they are searched for in one piece. */
function flacCodec(source: RecordingBytes, head: number): OggCodec {
  const stream: FlacStream = readFlacStream(source, head + FLAC_STREAM_INFO_AT, FLAC_STREAM_INFO_BYTES)
  const length = new SoundLength()
  const parts: Uint8Array[] = []
  return {
    addPart({ number, at, byteCount }) {
      if (number > 0) parts.push(source.bytes.subarray(at, at + byteCount))
    },
    length,
    samplesPerSecond: 0,
    skippedSamples: 0,
    finish() {
      const frames = joined(parts)
      addFlacFrames(frames, 0, frames.length, stream, length)
      length.add(
        Math.max(0, stream.sampleCount - length.seconds * stream.samplesPerSecond),
        stream.samplesPerSecond,
      )
    },
  }
}

function joined(parts: readonly Uint8Array[]): RecordingBytes {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.byteLength
  }
  return new RecordingBytes(bytes)
}
