import { type Box, FULL_BOX_BYTES, findBox, needBox, readBoxes } from './mp4-boxes'
import { readSoundCodec } from './mp4-codecs'
import { countPackets, type PacketSound } from './packet-sound'
import { type RecordingBytes, refuse } from './recording-bytes'

const NORMAL_SPEED = 0x10000
/** Subtitles, times and places. Anything else that is not video may be sound, whatever its handler is called. */
const SILENT_FORMATS = new Set([
  'text',
  'tx3g',
  'wvtt',
  'stpp',
  'c608',
  'tmcd',
  'mebx',
  'mett',
  'rtmd',
  'gpmd',
])

export interface Mp4Track {
  id: number
  ticksPerSecond: number
  /** From its time tables, including fragments. */
  tickCount: number
  /** What its samples play; null if it is not sound. */
  sound: PacketSound | null
  /** Silence before it begins. */
  silentSeconds: number
}

/**
 * Samples may be anywhere, but not more of them than there are bytes; otherwise the same ones would be played again.
 */
export class SampleBytes {
  #rest: number

  constructor(fileByteCount: number) {
    this.#rest = fileByteCount
  }

  take(byteCount: number): void {
    this.#rest -= byteCount
    if (this.#rest < 0) refuse('The MP4 file claims more sound than it contains.')
  }
}

export function readTrack(
  source: RecordingBytes,
  trak: Box,
  movieTicksPerSecond: number,
  sampleBytes: SampleBytes,
): Mp4Track {
  const track = readBoxes(source, trak.start, trak.end)
  const media = childrenOf(source, needBox(track, 'mdia'))
  const header = needBox(media, 'mdhd').start
  const handler = source.text(needBox(media, 'hdlr').start + FULL_BOX_BYTES + 4, 4)
  const tables = childrenOf(source, needBox(childrenOf(source, needBox(media, 'minf')), 'stbl'))
  const ticksPerSecond = source.uint32(header + (source.byte(header) === 1 ? 20 : 12))
  if (ticksPerSecond === 0) refuse('The MP4 file is damaged.')
  const description = needBox(tables, 'stsd')
  const format = source.text(description.start + FULL_BOX_BYTES + 8, 4)
  const isSound = handler === 'soun' || (handler !== 'vide' && !SILENT_FORMATS.has(format))
  const sound = isSound ? countPackets(source, readSoundCodec(source, description)) : null
  if (sound !== null) addSamples(source, tables, sound, sampleBytes)
  const trackHeader = needBox(track, 'tkhd').start
  return {
    id: source.uint32(trackHeader + (source.byte(trackHeader) === 1 ? 20 : 12)),
    ticksPerSecond,
    tickCount: sumTimes(source, needBox(tables, 'stts')),
    sound,
    silentSeconds: readEdits(source, track) / movieTicksPerSecond,
  }
}

function childrenOf(source: RecordingBytes, { start, end }: Box): Box[] {
  return readBoxes(source, start, end)
}

/** The number of entries in a table, all of which must be present. */
function entryCount(source: RecordingBytes, { start, end }: Box, entryBytes: number): number {
  const count = source.uint32(start + FULL_BOX_BYTES)
  if (start + FULL_BOX_BYTES + 4 + count * entryBytes > end) refuse('The MP4 file is damaged.')
  return count
}

function sumTimes(source: RecordingBytes, table: Box): number {
  const count = entryCount(source, table, 8)
  let tickCount = 0
  for (let entry = 0, at = table.start + 8; entry < count; entry += 1, at += 8) {
    tickCount += source.uint32(at) * source.uint32(at + 4)
  }
  return tickCount
}

/** Edits never shorten what is decoded. They may repeat parts, which is refused, or add silence at the beginning. */
function readEdits(source: RecordingBytes, track: readonly Box[]): number {
  const edits = findBox(track, 'edts')
  const list = edits === null ? null : findBox(childrenOf(source, edits), 'elst')
  if (list === null) return 0
  const isLarge = source.byte(list.start) === 1
  const entryBytes = isLarge ? 20 : 12
  const count = entryCount(source, list, entryBytes)
  let silentTicks = 0
  let playedCount = 0
  for (let entry = 0, at = list.start + 8; entry < count; entry += 1, at += entryBytes) {
    const duration = isLarge ? source.uint64(at) : source.uint32(at)
    const isEmpty = source.uint32(at + (isLarge ? 8 : 4)) === 0xffffffff
    if (isEmpty) silentTicks += duration
    else playedCount += 1
    if (!isEmpty && (playedCount > 1 || source.uint32(at + entryBytes - 4) !== NORMAL_SPEED)) {
      refuse('The MP4 file plays a part of itself again, or more slowly.')
    }
  }
  return silentTicks
}

/** Adds every sample: its size from one table, its position from the chunks in two others. */
function addSamples(
  source: RecordingBytes,
  tables: readonly Box[],
  sound: PacketSound,
  sampleBytes: SampleBytes,
): void {
  const sizes = needBox(tables, 'stsz').start + FULL_BOX_BYTES
  const evenSize = source.uint32(sizes)
  const sampleCount = source.uint32(sizes + 4)
  if (sampleCount === 0) return
  if (evenSize === 0) source.uint32(sizes + 4 + sampleCount * 4)
  const runs = needBox(tables, 'stsc')
  const runCount = entryCount(source, runs, 12)
  const large = findBox(tables, 'co64')
  const chunks = large ?? needBox(tables, 'stco')
  const chunkBytes = large === null ? 4 : 8
  const chunkCount = entryCount(source, chunks, chunkBytes)
  let sample = 0
  for (let chunk = 0, run = -1; chunk < chunkCount; chunk += 1) {
    const nextRun = runs.start + 8 + (run + 1) * 12
    if (run + 1 < runCount && source.uint32(nextRun) === chunk + 1) run += 1
    if (run < 0) refuse('The MP4 file is damaged.')
    const samplesInChunk = source.uint32(runs.start + 8 + run * 12 + 4)
    const place = chunks.start + 8 + chunk * chunkBytes
    let at = large === null ? source.uint32(place) : source.uint64(place)
    for (let index = 0; index < samplesInChunk && sample < sampleCount; index += 1, sample += 1) {
      const byteCount = evenSize || source.uint32(sizes + 8 + sample * 4)
      sampleBytes.take(byteCount)
      sound.add(at, byteCount)
      at += byteCount
    }
  }
  if (sample < sampleCount) refuse('The MP4 file claims more sound than it contains.')
}
