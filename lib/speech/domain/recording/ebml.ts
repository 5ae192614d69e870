import { PART_COUNT_MAX, type RecordingBytes, refuse } from './recording-bytes'

const ID_BYTES_MAX = 4
const SIZE_BYTES_MAX = 8

/** Reads the headers of consecutive EBML elements (RFC 8794) into its own fields. */
export class EbmlElement {
  id = 0
  start = 0
  /** Infinite for an element that was written before its size was known. */
  end = 0

  constructor(private readonly source: RecordingBytes) {}

  readAt(at: number): void {
    const idBytes = Math.clz32(this.source.byte(at)) - 23
    if (idBytes > ID_BYTES_MAX) refuse('The recording breaks off, or is damaged.')
    let id = 0
    for (let index = 0; index < idBytes; index += 1) id = id * 256 + this.source.byte(at + index)
    this.id = id
    const sizeAt = at + idBytes
    const sizeBytes = vintBytes(this.source, sizeAt)
    const size = readVint(this.source, sizeAt, sizeBytes)
    this.start = sizeAt + sizeBytes
    // All bits set means unknown.
    this.end = size === 2 ** (7 * sizeBytes) - 1 ? Number.POSITIVE_INFINITY : this.start + size
  }
}

/** The length of the number at this position, given by the zeros before its first bit. */
export function vintBytes(source: RecordingBytes, at: number): number {
  const byteCount = Math.clz32(source.byte(at)) - 23
  return byteCount > SIZE_BYTES_MAX ? refuse('The recording breaks off, or is damaged.') : byteCount
}

export function readVint(source: RecordingBytes, at: number, byteCount: number): number {
  let value = source.byte(at) & (0xff >> byteCount)
  for (let index = 1; index < byteCount; index += 1) value = value * 256 + source.byte(at + index)
  return value
}

/** The children of a complete element, by id. */
export function readChildren(source: RecordingBytes, start: number, end: number): ChildElement[] {
  const element = new EbmlElement(source)
  const children: ChildElement[] = []
  for (let at = start; at < end; at = element.end) {
    element.readAt(at)
    if (element.end > end || children.length === PART_COUNT_MAX)
      refuse('The recording breaks off, or is damaged.')
    children.push({ id: element.id, start: element.start, end: element.end })
  }
  return children
}

export interface ChildElement {
  id: number
  start: number
  end: number
}

/** The only child with this id, or null. Two are refused, because decoders differ on which one they use. */
export function findChild(children: readonly ChildElement[], id: number): ChildElement | null {
  const [child, ...others] = children.filter(each => each.id === id)
  if (others.length > 0) refuse('The recording has a field twice that may occur only once.')
  return child ?? null
}

export function readUnsigned(source: RecordingBytes, { start, end }: ChildElement): number {
  let value = 0
  for (let at = start; at < end; at += 1) value = value * 256 + source.byte(at)
  return value
}

export function readFloat(source: RecordingBytes, { start, end }: ChildElement): number {
  if (end - start === 4) return source.float32(start)
  return end - start === 8 ? source.float64(start) : 0
}
