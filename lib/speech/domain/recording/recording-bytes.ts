/** Why a recording cannot be read, as a sentence for whoever sent it. Never leaves `measureRecording`. */
export class UnreadableRecording extends Error {}

export function refuse(reason: string): never {
  throw new UnreadableRecording(reason)
}

/** The file behind a recording. A look beyond its end is a broken file, and refused. */
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

  /** Rounded above 2^53, where every use of it is beyond its limit anyway. */
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

  /** Whether these letters stand here; a file that ends before them has others. */
  has(text: string, at: number): boolean {
    return at + text.length <= this.length && this.text(at, text.length) === text
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
