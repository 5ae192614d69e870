import { readAacStream } from './aac'
import { type ChildElement, findChild, readChildren, readFloat, readUnsigned } from './ebml'
import { readFlacStream } from './flac'
import { countPackets, type PacketCodec, type PacketSound, TRACK_COUNT_MAX } from './packet-sound'
import { RecordingBytes, refuse } from './recording-bytes'
import { readVorbisStream } from './vorbis'

const ID = {
  trackEntry: 0xae,
  number: 0xd7,
  type: 0x83,
  codec: 0x86,
  codecPrivate: 0x63a2,
  encodings: 0x6d80,
  audio: 0xe1,
  rate: 0xb5,
  channels: 0x9f,
  bits: 0x6264,
}
const SOUND = 2
const SILENT_TYPES = new Set([1, 17, 33])
const DEFAULT_RATE = 8_000

export interface MatroskaTrack {
  /** Null if it is not sound. */
  sound: PacketSound | null
}

/** The tracks by their number. */
export function readTracks(
  source: RecordingBytes,
  start: number,
  end: number,
): ReadonlyMap<number, MatroskaTrack> {
  const tracks = new Map<number, MatroskaTrack>()
  for (const { id, ...entry } of readChildren(source, start, end)) {
    if (id !== ID.trackEntry) continue
    const fields = readChildren(source, entry.start, entry.end)
    const number = unsignedOf(source, fields, ID.number) ?? 0
    const type = unsignedOf(source, fields, ID.type) ?? 0
    if (tracks.size === TRACK_COUNT_MAX) refuse('The WebM file has too many tracks.')
    if (tracks.has(number) || (type !== SOUND && !SILENT_TYPES.has(type))) refuse('The WebM file is damaged.')
    tracks.set(number, { sound: type === SOUND ? countPackets(source, readCodec(source, fields)) : null })
  }
  return tracks
}

function unsignedOf(source: RecordingBytes, fields: readonly ChildElement[], id: number): number | null {
  const field = findChild(fields, id)
  return field === null ? null : readUnsigned(source, field)
}

function readCodec(source: RecordingBytes, fields: readonly ChildElement[]): PacketCodec {
  const name = findChild(fields, ID.codec)
  const header = findChild(fields, ID.codecPrivate)
  if (findChild(fields, ID.encodings) !== null) refuse('WebM with packed or encrypted frames is not taken.')
  const codec = name === null ? '' : source.text(name.start, name.end - name.start).replace(/\0+$/, '')
  switch (codec) {
    case 'A_OPUS':
      return { kind: 'opus' }
    case 'A_MPEG/L1':
    case 'A_MPEG/L2':
    case 'A_MPEG/L3':
      return { kind: 'mpeg' }
    case 'A_PCM/INT/LIT':
    case 'A_PCM/INT/BIG':
    case 'A_PCM/FLOAT/IEEE':
      return readPlain(source, findChild(fields, ID.audio))
  }
  if (header === null) refuse('The WebM file does not name its format.')
  switch (codec) {
    case 'A_AAC':
      return { kind: 'aac', stream: readAacStream(source, header.start, header.end) }
    case 'A_FLAC':
      // The signature of a FLAC file, and the header of its first block.
      return {
        kind: 'flac',
        stream: readFlacStream(source, header.start + 8, source.uint24(header.start + 5)),
      }
    case 'A_VORBIS':
      return { kind: 'vorbis', stream: readVorbisHeaders(source, header) }
  }
  refuse('The WebM file contains something other than Opus, Vorbis, AAC, MP3, FLAC or plain samples.')
}

function readPlain(source: RecordingBytes, audio: ChildElement | null): PacketCodec {
  const fields = audio === null ? [] : readChildren(source, audio.start, audio.end)
  const rate = findChild(fields, ID.rate)
  const bits = unsignedOf(source, fields, ID.bits) ?? 0
  const bytesPerSample = (unsignedOf(source, fields, ID.channels) ?? 1) * Math.ceil(bits / 8)
  if (bytesPerSample === 0) refuse('The WebM file does not name its format.')
  return {
    kind: 'plain',
    bytesPerSample,
    samplesPerSecond: rate === null ? DEFAULT_RATE : readFloat(source, rate),
  }
}

/** Three packets in one, preceded by the sizes of the first two. */
function readVorbisHeaders(source: RecordingBytes, { start, end }: ChildElement) {
  let at = start + 1
  const sizes = [0, 0]
  for (const index of sizes.keys()) {
    for (let byte = 255; byte === 255; at += 1) {
      byte = source.byte(at)
      sizes[index] = (sizes[index] ?? 0) + byte
    }
  }
  const [identification = 0, comment = 0] = sizes
  const setup = at + identification + comment
  if (source.byte(start) !== 2 || setup > end) refuse('The WebM file is damaged.')
  const part = (from: number, to: number) => new RecordingBytes(source.bytes.subarray(from, to))
  return readVorbisStream(part(at, at + identification), part(setup, end))
}
