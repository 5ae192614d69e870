/** Why a recording cannot be read, as a sentence for its sender. Never thrown outside of `measureRecording`. */
export class UnreadableRecording extends Error {}

/** The most chunks, tags and descriptions in one list. Only frames of sound are numerous. */
export const PART_COUNT_MAX = 1_000

export function refuse(reason: string): never {
  throw new UnreadableRecording(reason)
}

/** The bytes of a recording. Reading beyond their end means that the file is broken, and it is refused. */
export class RecordingBytes {
  readonly view: DataView

  constructor(readonly bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  get length(): number {
    return this.bytes.byteLength
  }

  byte(at: number): number {
    return this.view.getUint8(this.within(at, 1))
  }

  uint16(at: number, littleEndian = false): number {
    return this.view.getUint16(this.within(at, 2), littleEndian)
  }

  uint24(at: number): number {
    return (this.uint16(at) << 8) | this.byte(at + 2)
  }

  uint32(at: number, littleEndian = false): number {
    return this.view.getUint32(this.within(at, 4), littleEndian)
  }

  int16(at: number): number {
    return this.view.getInt16(this.within(at, 2))
  }

  int32(at: number): number {
    return this.view.getInt32(this.within(at, 4))
  }

  /** Rounded above 2^53, where every use of it exceeds a limit anyway. */
  uint64(at: number, littleEndian = false): number {
    return Number(this.view.getBigUint64(this.within(at, 8), littleEndian))
  }

  float32(at: number): number {
    return this.view.getFloat32(this.within(at, 4))
  }

  float64(at: number): number {
    return this.view.getFloat64(this.within(at, 8))
  }

  text(at: number, byteCount: number): string {
    this.within(at, byteCount)
    return String.fromCharCode(...this.bytes.subarray(at, at + byteCount))
  }

  /** Whether these letters are at this position. */
  has(text: string, at: number): boolean {
    for (let index = 0; index < text.length; index += 1) {
      if (this.bytes[at + index] !== text.charCodeAt(index)) return false
    }
    return true
  }

  isZero(start: number, end: number): boolean {
    for (let at = start; at < end; at += 1) if (this.bytes[at] !== 0) return false
    return true
  }

  private within(at: number, byteCount: number): number {
    if (!(at >= 0) || at + byteCount > this.length) refuse('The recording breaks off, or is damaged.')
    return at
  }
}

/** All positions of these four consecutive bytes. Only every fourth byte has to be checked. */
export function placesOf(bytes: Uint8Array, four: readonly [number, number, number, number]): number[] {
  const [first, second, third, fourth] = four
  const places: number[] = []
  const add = (at: number) => {
    const isThere = bytes[at] === first && bytes[at + 1] === second && bytes[at + 2] === third
    if (isThere && bytes[at + 3] === fourth) places.push(at)
  }
  for (let at = 0; at < bytes.length; at += 4) {
    const byte = bytes[at]
    if (byte === first) add(at)
    if (byte === second) add(at - 1)
    if (byte === third) add(at - 2)
    if (byte === fourth) add(at - 3)
  }
  return places
}
