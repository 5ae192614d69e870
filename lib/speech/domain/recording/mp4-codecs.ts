import { readAacStream } from './aac'
import { readFlacStream } from './flac'
import { type Box, FULL_BOX_BYTES, findBox, needBox, readBoxes } from './mp4-boxes'
import type { PacketCodec } from './packet-sound'
import { type RecordingBytes, refuse } from './recording-bytes'

/** Where a description's own boxes begin, by version; the later ones are QuickTime's. */
const CHILDREN_AT = [36, 52, 72]
const AAC_KINDS = new Set([0x40, 0x66, 0x67, 0x68])
const MPEG_KINDS = new Set([0x69, 0x6b])

/** Reads an audio track's only sample description; codecs other than these are refused. */
export function readSoundCodec(source: RecordingBytes, description: Box): PacketCodec {
  const entry = description.start + FULL_BOX_BYTES + 4
  if (source.uint32(entry - 4) !== 1) refuse('The MP4 file changes its codec in the middle.')
  const end = Math.min(description.end, entry + source.uint32(entry))
  const children = () => {
    const childrenAt = CHILDREN_AT[source.uint16(entry + 16)] ?? refuse('The MP4 file is damaged.')
    return readBoxes(source, entry + childrenAt, end)
  }
  switch (source.text(entry + 4, 4)) {
    case 'mp4a':
      return readElementary(source, children())
    case 'Opus':
      return { kind: 'opus' }
    case '.mp3':
      return { kind: 'mpeg' }
    case 'samr':
      return { kind: 'amr', isWide: false }
    case 'sawb':
      return { kind: 'amr', isWide: true }
    case 'fLaC': {
      const { start } = needBox(children(), 'dfLa')
      // A header of its own, and that of the first metadata block.
      const stream = readFlacStream(
        source,
        start + FULL_BOX_BYTES + 4,
        source.uint24(start + FULL_BOX_BYTES + 1),
      )
      return { kind: 'flac', stream }
    }
    case 'alac':
      return readAlac(source, children())
  }
  refuse('The MP4 file contains something other than AAC, MP3, Opus, FLAC, ALAC or AMR.')
}

/** Apple's lossless codec: packets whose length is in its description. */
function readAlac(source: RecordingBytes, children: readonly Box[]): PacketCodec {
  const outer = findBox(children, 'wave')
  const { start } = needBox(outer === null ? children : readBoxes(source, outer.start, outer.end), 'alac')
  const at = start + FULL_BOX_BYTES
  return { kind: 'even', sampleCount: source.uint32(at), samplesPerSecond: source.uint32(at + 20) }
}

/** AAC or MP3, according to the elementary stream descriptor (ISO 14496-1, 7.2.6.5). */
function readElementary(source: RecordingBytes, children: readonly Box[]): PacketCodec {
  const outer = findBox(children, 'wave')
  const { start, end } = needBox(
    outer === null ? children : readBoxes(source, outer.start, outer.end),
    'esds',
  )
  const stream = readDescriptor(source, start + FULL_BOX_BYTES, 3)
  const flags = source.byte(stream.start + 2)
  const urlBytes = (flags & 0x40) === 0 ? 0 : 1 + source.byte(stream.start + 3)
  const moreAt = stream.start + 3 + ((flags & 0x80) === 0 ? 0 : 2) + urlBytes + ((flags & 0x20) === 0 ? 0 : 2)
  const decoder = readDescriptor(source, moreAt, 4)
  const kind = source.byte(decoder.start)
  if (MPEG_KINDS.has(kind)) return { kind: 'mpeg' }
  if (!AAC_KINDS.has(kind)) refuse('The MP4 file contains another codec than it names.')
  const config = readDescriptor(source, decoder.start + 13, 5)
  return { kind: 'aac', stream: readAacStream(source, config.start, Math.min(end, config.end)) }
}

/** A descriptor's contents; its size is stored in up to four bytes of seven bits. */
function readDescriptor(source: RecordingBytes, at: number, tag: number): { start: number; end: number } {
  if (source.byte(at) !== tag) refuse('The MP4 file is damaged.')
  let byteCount = 0
  for (let index = 1; index <= 4; index += 1) {
    const byte = source.byte(at + index)
    byteCount = byteCount * 128 + (byte & 0x7f)
    if (byte < 0x80) return { start: at + index + 1, end: at + index + 1 + byteCount }
  }
  refuse('The MP4 file is damaged.')
}
