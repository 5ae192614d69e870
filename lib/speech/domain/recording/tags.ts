import { PART_COUNT_MAX, type RecordingBytes, refuse } from './recording-bytes'

const ID3V2_HEADER_BYTES = 10
const ID3V1_BYTES = 128
const APE_HEADER_BYTES = 32

/** Where a tag with title and pictures that begins here ends; the same position if none begins. */
export function tagEnd(source: RecordingBytes, at: number): number {
  if (source.has('ID3', at)) return afterId3v2(source, at)
  if (source.has('TAG', at)) return Math.min(source.length, at + ID3V1_BYTES)
  if (source.has('APETAGEX', at)) {
    // A header's size does not include itself; a footer without a header comes after its contents.
    const isHeader = (source.uint32(at + 20, true) & 0x20000000) !== 0
    const end = at + APE_HEADER_BYTES + (isHeader ? source.uint32(at + 12, true) : 0)
    return Math.min(source.length, end)
  }
  return at
}

/** Decoders skip an unusual tag by different rules, and could find sound inside, so it is refused. */
function afterId3v2(source: RecordingBytes, at: number): number {
  const version = source.byte(at + 3)
  const flags = source.byte(at + 5)
  const size = [6, 7, 8, 9].map(place => source.byte(at + place))
  if (version < 2 || version > 4 || (flags & 0x0f) !== 0 || size.some(byte => byte > 0x7f)) {
    refuse('The tag of title and artist is damaged.')
  }
  const byteCount = size.reduce((sum, byte) => sum * 128 + byte, 0)
  const end = at + ID3V2_HEADER_BYTES + byteCount + ((flags & 0x10) === 0 ? 0 : ID3V2_HEADER_BYTES)
  if (end > source.length) refuse('The recording breaks off, or is damaged.')
  return end
}

/** Where the sound begins after any leading tags. */
export function skipLeadingTags(source: RecordingBytes): number {
  let at = 0
  for (let tag = 0; tag < PART_COUNT_MAX && source.has('ID3', at); tag += 1) at = afterId3v2(source, at)
  return at
}
