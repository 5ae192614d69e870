import { type OggCodec, oggCodecOf } from './ogg-codecs'
import { placesOf, type RecordingBytes, refuse } from './recording-bytes'

/** "OggS". */
const PAGE_START = [0x4f, 0x67, 0x67, 0x53] as const
const PAGE_HEADER_BYTES = 27
const CONTINUED = 1
const FIRST_PAGE = 2
/** For concatenated songs of a radio stream; a file with more streams is not a recording. */
const STREAM_COUNT_MAX = 64
const SEGMENT_BYTES_MAX = 255
/** The granule position of pages on which no packet ends. */
const NO_GRANULE = 2 ** 63

/** An Ogg file: what its packets play, or the times of its pages if those are longer; chained streams are added up. */
export function measureOgg(source: RecordingBytes): number {
  const streams = new Map<number, OggStream>()
  let streamCount = 0
  let seconds = 0
  let pageCount = 0
  let at = 0
  while (source.has('OggS', at)) {
    pageCount += 1
    if (at + PAGE_HEADER_BYTES > source.length) {
      at = source.length
      break
    }
    const flags = source.byte(at + 5)
    const serial = source.uint32(at + 14)
    if (source.byte(at + 4) !== 0) refuse('The Ogg file is damaged.')
    if ((flags & FIRST_PAGE) !== 0) {
      seconds += streams.get(serial)?.finish() ?? 0
      streams.set(serial, new OggStream(source))
      streamCount += 1
    }
    const stream = streams.get(serial)
    if (stream === undefined || streamCount > STREAM_COUNT_MAX) refuse('The Ogg file is damaged.')
    at = stream.addPage(at, (flags & CONTINUED) !== 0)
  }
  // Decoders that do not accept a page may find another one inside it.
  if (placesOf(source.bytes, PAGE_START).length !== pageCount || !source.isZero(at, source.length)) {
    refuse('The Ogg file is damaged.')
  }
  for (const stream of streams.values()) seconds += stream.finish()
  return seconds
}

/** One logical stream: its packets by the lacing of its pages, its time by their granule positions. */
class OggStream {
  #codec: OggCodec | null = null
  #packetNumber = -1
  #isPacketOpen = false
  #firstSample: number | null = null
  #lastSample = 0

  constructor(private readonly source: RecordingBytes) {}

  /** @returns the end of the page. */
  addPage(page: number, isContinued: boolean): number {
    const { source } = this
    const segmentCount = source.byte(page + PAGE_HEADER_BYTES - 1)
    const table = page + PAGE_HEADER_BYTES
    let at = table + segmentCount
    let byteCount = 0
    // Some decoders take a continuation without a beginning for a packet.
    let begins = !(isContinued && this.#isPacketOpen)
    for (let segment = 0; segment < segmentCount; segment += 1) {
      const lacing = source.byte(table + segment)
      byteCount += lacing
      this.#isPacketOpen = lacing === SEGMENT_BYTES_MAX
      if (this.#isPacketOpen && segment + 1 < segmentCount) continue
      this.addPart(at, byteCount, begins)
      at += byteCount
      byteCount = 0
      begins = true
    }
    this.addTime(source.uint64(page + 6, true))
    return at
  }

  private addPart(at: number, byteCount: number, begins: boolean): void {
    if (begins) this.#packetNumber += 1
    this.#codec ??= oggCodecOf(this.source, at)
    this.#codec.addPart({ number: this.#packetNumber, at, byteCount, begins })
  }

  /** The first time covers the packets so far, because a recording may start in the middle of a broadcast. */
  private addTime(granule: number): void {
    const codec = this.#codec
    if (codec === null || codec.length.seconds === 0 || granule >= NO_GRANULE) return
    this.#firstSample ??= Math.max(0, granule - codec.length.seconds * codec.samplesPerSecond)
    this.#lastSample = Math.max(this.#lastSample, granule)
  }

  /** The seconds of the whole stream. */
  finish(): number {
    const codec = this.#codec
    if (codec === null) return 0
    codec.finish?.()
    const claimedSamples = this.#lastSample - (this.#firstSample ?? 0) - codec.skippedSamples
    return Math.max(codec.length.seconds, claimedSamples / (codec.samplesPerSecond || 1))
  }
}
