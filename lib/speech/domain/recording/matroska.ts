import { EbmlElement, findChild, readChildren, readUnsigned, readVint, vintBytes } from './ebml'
import { type MatroskaTrack, readTracks } from './matroska-tracks'
import type { PacketSound } from './packet-sound'
import { placesOf, type RecordingBytes, refuse, UnreadableRecording } from './recording-bytes'

const ID = {
  header: 0x1a45dfa3,
  segment: 0x18538067,
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  tracks: 0x1654ae6b,
  cluster: 0x1f43b675,
  timestamp: 0xe7,
  simpleBlock: 0xa3,
  blockGroup: 0xa0,
  block: 0xa1,
  blockDuration: 0x9b,
  encryptedBlock: 0xaf,
}
/** Elements on the same level as a cluster, which therefore end a cluster of unknown size. */
const BESIDE_CLUSTERS = new Set([
  ID.cluster,
  ID.info,
  ID.tracks,
  0x1c53bb6b,
  0x114d9b74,
  0x1254c367,
  0x1043a770,
  0x1941a469,
])
const CLUSTER_ID = [0x1f, 0x43, 0xb6, 0x75] as const
const CLUSTER_CHILDREN = new Set([ID.timestamp, ID.simpleBlock, ID.blockGroup, ID.encryptedBlock])
const SPEAKING = new Set([...CLUSTER_CHILDREN, ID.cluster])
/** The same plus elements without information about time: positions, sizes, checksums, padding. */
const CLUSTER_STARTS = new Set([...CLUSTER_CHILDREN, 0xa7, 0xab, 0xbf, 0x58, 0xec])
/** A block for each frame of 20 ms in five and a half hours; 25 MB cannot contain more. */
const ELEMENT_COUNT_MAX = 1_000_000
/** Elements that say nothing about the sound, apart from a few per cluster: millions of them would be wasted work. */
const FILLING_COUNT_MAX = 1_000
const FILLING_PER_CLUSTER_MAX = 8
const DEFAULT_SCALE_NANOSECONDS = 1_000_000
const NANOSECONDS_PER_SECOND = 1_000_000_000
const LACING = { none: 0, xiph: 1, even: 2, ebml: 3 }

/** A Matroska or WebM file: the time from its first block to its last, or what a track's frames play. */
export function measureMatroska(source: RecordingBytes): number {
  const element = new EbmlElement(source)
  element.readAt(0)
  element.readAt(element.end)
  if (element.id !== ID.segment) refuse('The WebM file is damaged.')
  const segment = new MatroskaSegment(source)
  const end = segment.read(element.start, element.end)
  if (end < source.length && !source.isZero(end, source.length)) throw damaged()
  // Decoders that encounter an error continue at the next cluster, wherever it is.
  if (countClusters(source) !== segment.clusterCount) throw damaged()
  return segment.seconds
}

/** Whether a cluster may begin with the byte at this position. */
function isClusterStart({ bytes }: RecordingBytes, at: number): boolean {
  const byte = bytes[at]
  return byte === undefined || CLUSTER_STARTS.has(byte)
}

function countClusters(source: RecordingBytes): number {
  const places = placesOf(source.bytes, CLUSTER_ID)
  return places.filter(at => {
    const sizeBytes = Math.clz32(source.bytes[at + CLUSTER_ID.length] ?? 0) - 23
    return isClusterStart(source, at + CLUSTER_ID.length + sizeBytes)
  }).length
}

class MatroskaSegment {
  clusterCount = 0
  #secondsPerTick: number | null = null
  #tracks: ReadonlyMap<number, MatroskaTrack> | null = null
  #clusterTicks = 0
  #elementCount = 0
  #fillingCount = 0
  #blockSeconds = 0
  #firstSecond = Number.POSITIVE_INFINITY
  #lastSecond = 0
  readonly #element: EbmlElement

  constructor(private readonly source: RecordingBytes) {
    this.#element = new EbmlElement(source)
  }

  /** @returns the end of the segment. In a file that was cut off, everything up to its end counts. */
  read(start: number, segmentEnd: number): number {
    let at = start
    while (at < Math.min(segmentEnd, this.source.length)) {
      const { id, start: contents, end } = this.headAt(at)
      if (end > segmentEnd) throw damaged()
      if (id === ID.cluster) at = this.readCluster(contents, end)
      else {
        if (end === Number.POSITIVE_INFINITY || CLUSTER_CHILDREN.has(id)) throw damaged()
        if (id === ID.info) this.readInfo(contents, end)
        if (id === ID.tracks) {
          if (this.#tracks !== null) throw damaged()
          this.#tracks = readTracks(this.source, contents, end)
        }
        at = end
      }
    }
    return at
  }

  private headAt(at: number): EbmlElement {
    this.#elementCount += 1
    if (this.#elementCount > ELEMENT_COUNT_MAX) throw damaged()
    this.#element.readAt(at)
    if (!SPEAKING.has(this.#element.id)) this.#fillingCount += 1
    if (this.#fillingCount > FILLING_COUNT_MAX + this.clusterCount * FILLING_PER_CLUSTER_MAX) throw damaged()
    if (this.#element.id === ID.segment || this.#element.id === ID.header) {
      refuse('The WebM file contains several recordings.')
    }
    return this.#element
  }

  private readInfo(start: number, end: number): void {
    if (this.#secondsPerTick !== null) throw damaged()
    const scale = findChild(readChildren(this.source, start, end), ID.timestampScale)
    const nanoseconds = scale === null ? DEFAULT_SCALE_NANOSECONDS : readUnsigned(this.source, scale)
    this.#secondsPerTick = nanoseconds / NANOSECONDS_PER_SECOND
  }

  private readCluster(start: number, clusterEnd: number): number {
    if (isClusterStart(this.source, start)) this.clusterCount += 1
    let at = start
    while (at < Math.min(clusterEnd, this.source.length)) {
      const { id, start: contents, end } = this.headAt(at)
      const isBeside = BESIDE_CLUSTERS.has(id)
      if (isBeside && clusterEnd === Number.POSITIVE_INFINITY) return at
      if (isBeside || end === Number.POSITIVE_INFINITY || end > clusterEnd) throw damaged()
      this.addClusterChild(id, contents, end)
      at = end
    }
    return at
  }

  private addClusterChild(id: number, start: number, end: number): void {
    const { source } = this
    if (id === ID.timestamp) this.#clusterTicks = readUnsigned(source, { id, start, end })
    if (id === ID.simpleBlock) this.addBlock(start, end)
    if (id === ID.encryptedBlock) throw damaged()
    if (id !== ID.blockGroup) return
    const group = readChildren(source, start, end)
    const block = findChild(group, ID.block)
    if (block === null) return
    this.addBlock(block.start, block.end)
    const duration = findChild(group, ID.blockDuration)
    if (duration !== null) this.addTime(readUnsigned(source, duration) * (this.#secondsPerTick ?? 0))
  }

  /** Consecutive frames of one track with the same time ("laced"). */
  private addBlock(start: number, end: number): void {
    const { source } = this
    const numberBytes = vintBytes(source, start)
    const track = this.#tracks?.get(readVint(source, start, numberBytes))
    this.#secondsPerTick ??= DEFAULT_SCALE_NANOSECONDS / NANOSECONDS_PER_SECOND
    if (track === undefined) throw damaged()
    const ticks = this.#clusterTicks + source.int16(start + numberBytes)
    this.#blockSeconds = Math.max(0, ticks) * this.#secondsPerTick
    this.#firstSecond = Math.min(this.#firstSecond, this.#blockSeconds)
    const { sound } = track
    const before = sound?.length.seconds ?? 0
    if (sound !== null) addFrames(source, start + numberBytes + 2, end, sound)
    this.addTime((sound?.length.seconds ?? 0) - before)
  }

  private addTime(seconds: number): void {
    this.#lastSecond = Math.max(this.#lastSecond, this.#blockSeconds + seconds)
  }

  get seconds(): number {
    const sounds = [...(this.#tracks?.values() ?? [])].flatMap(({ sound }) => (sound === null ? [] : [sound]))
    if (sounds.length === 0) refuse('The WebM file contains no sound.')
    return Math.max(this.#lastSecond - this.#firstSecond, ...sounds.map(({ length }) => length.seconds))
  }
}

/** From the flags on: the type of lacing, the number of frames, and the sizes of all but the last. */
function addFrames(source: RecordingBytes, flagsAt: number, end: number, sound: PacketSound): void {
  const lacing = (source.byte(flagsAt) >> 1) & 3
  if (lacing === LACING.none) {
    sound.add(flagsAt + 1, end - flagsAt - 1)
    return
  }
  const frameCount = source.byte(flagsAt + 1) + 1
  const sizes = new Uint32Array(frameCount)
  let at = flagsAt + 2
  let sum = 0
  for (let frame = 0; frame + 1 < frameCount && lacing !== LACING.even; frame += 1) {
    let size = 0
    if (lacing === LACING.xiph) {
      for (let byte = 255; byte === 255; at += 1) {
        byte = source.byte(at)
        size += byte
      }
    } else {
      const byteCount = vintBytes(source, at)
      // The first value is a size, and the others are signed differences, with zero in the middle of their range.
      const middle = frame === 0 ? 0 : 2 ** (7 * byteCount - 1) - 1
      size = readVint(source, at, byteCount) - middle + (frame === 0 ? 0 : (sizes[frame - 1] ?? 0))
      at += byteCount
    }
    if (size < 0 || size > end) throw damaged()
    sizes[frame] = size
    sum += size
  }
  if (lacing === LACING.even) sizes.fill(Math.floor((end - at) / frameCount))
  else sizes[frameCount - 1] = Math.max(0, end - at - sum)
  if (at + sum > end) throw damaged()
  for (const size of sizes) {
    sound.add(at, size)
    at += size
  }
}

function damaged(): UnreadableRecording {
  return new UnreadableRecording('The WebM file is damaged.')
}
