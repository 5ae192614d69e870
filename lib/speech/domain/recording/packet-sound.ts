import { AacCounter, type AacStream } from './aac'
import { addAmrFrames } from './amr'
import { addFlacFrames, type FlacStream } from './flac'
import { addMpegFrames } from './mpeg-audio'
import { OPUS_RATE, opusSamples } from './opus-packet'
import type { RecordingBytes } from './recording-bytes'
import { SoundLength } from './sound-length'
import { VorbisPackets, type VorbisStream } from './vorbis'

/** Enough for a film with languages and subtitles; each takes a little time to set up. */
export const TRACK_COUNT_MAX = 32

/** Counts what a container's packets play, each in one piece; MP4 calls them samples, Matroska frames. */
export interface PacketSound {
  readonly length: SoundLength
  add(at: number, byteCount: number): void
}

/** How a codec's packets are counted, with what that needs from its header. */
export type PacketCodec =
  | { kind: 'opus' }
  | { kind: 'mpeg' }
  | { kind: 'amr'; isWide: boolean }
  | { kind: 'aac'; stream: AacStream }
  | { kind: 'flac'; stream: FlacStream }
  | { kind: 'vorbis'; stream: VorbisStream }
  /** Packets of a fixed number of samples. */
  | { kind: 'even'; sampleCount: number; samplesPerSecond: number }
  | { kind: 'plain'; bytesPerSample: number; samplesPerSecond: number }

export function countPackets(source: RecordingBytes, codec: PacketCodec): PacketSound {
  const length = new SoundLength()
  return { length, add: adder(source, codec, length) }
}

function adder(source: RecordingBytes, codec: PacketCodec, length: SoundLength): PacketSound['add'] {
  const endOf = (at: number, byteCount: number) => Math.min(source.length, at + byteCount)
  switch (codec.kind) {
    case 'opus':
      return (at, byteCount) => length.add(opusSamples(source, at, byteCount), OPUS_RATE)
    case 'mpeg':
      return (at, byteCount) => addMpegFrames(source, at, endOf(at, byteCount), length)
    case 'amr':
      return (at, byteCount) => addAmrFrames(source, at, endOf(at, byteCount), codec.isWide, length)
    case 'aac': {
      const counter = new AacCounter(source, length)
      return (at, byteCount) => counter.add(codec.stream, at, byteCount)
    }
    case 'flac':
      return (at, byteCount) => addFlacFrames(source, at, endOf(at, byteCount), codec.stream, length)
    case 'vorbis': {
      const packets = new VorbisPackets(codec.stream, length)
      return (at, byteCount) => packets.add(source, at, byteCount)
    }
    case 'even':
      return () => length.add(codec.sampleCount, codec.samplesPerSecond)
    case 'plain':
      return (_, byteCount) => length.add(byteCount / codec.bytesPerSample, codec.samplesPerSecond)
  }
}
