import { type Box, findBox, needBox, readBoxes } from './mp4-boxes'
import { addFragment, readDefaults } from './mp4-fragment'
import { type Mp4Track, readTrack, SampleBytes } from './mp4-track'
import { TRACK_COUNT_MAX } from './packet-sound'
import { type RecordingBytes, refuse } from './recording-bytes'

/** Boxes with a length, or that contain one with a length. */
const LENGTH_BOXES = new Set(
  'moov trak mdia mdhd minf stbl stsd stts stsz stz2 stsc stco co64 edts elst mvex trex moof traf tfhd trun'
    .split(' ')
    .map(codeOf),
)
const CONTAINERS = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl', 'edts', 'mvex', 'moof', 'traf'])
/** Everything other than sound: tables, and cover pictures. */
const DESCRIPTION_BYTES_MAX = 8 * 1024 * 1024

/** An MP4, M4A, MOV or 3GP file: its longest track, by its time tables or by what its samples play. */
export function measureMp4(source: RecordingBytes): number {
  const file = readBoxes(source, 0, source.length)
  const moov = needBox(file, 'moov')
  checkPlaces(source, file)
  const movie = readBoxes(source, moov.start, moov.end)
  const header = needBox(movie, 'mvhd').start
  const ticksPerSecond = source.uint32(header + (source.byte(header) === 1 ? 20 : 12))
  if (ticksPerSecond === 0) refuse('The MP4 file is damaged.')
  const sampleBytes = new SampleBytes(source.length)
  const traks = movie.filter(({ name }) => name === 'trak')
  if (traks.length > TRACK_COUNT_MAX) refuse('The MP4 file has too many tracks.')
  const tracks = traks.map(trak => readTrack(source, trak, ticksPerSecond, sampleBytes))
  const ids = new Set(tracks.map(({ id }) => id))
  if (ids.size < tracks.length) refuse('The MP4 file is damaged.')
  const defaults = readDefaults(source, findBox(movie, 'mvex'))
  for (const moof of file.filter(({ name }) => name === 'moof')) {
    addFragment(source, moof, { tracks, defaults, sampleBytes })
  }
  if (!tracks.some(({ sound }) => sound !== null)) refuse('The MP4 file contains no sound.')
  return Math.max(...tracks.map(secondsOf))
}

function secondsOf({ tickCount, ticksPerSecond, sound, silentSeconds }: Mp4Track): number {
  return Math.max(tickCount / ticksPerSecond, sound?.length.seconds ?? 0) + silentSeconds
}

/**
 * Decoders look into more boxes than these, so a track could be hidden in one that is skipped here: outside the sound
 * itself, each of these names must belong to a box in its proper place.
 */
function checkPlaces(source: RecordingBytes, file: readonly Box[]): void {
  let nameCount = 0
  let byteCount = 0
  let start = 0
  for (const { name, ...sound } of [...file, { name: 'mdat', start: source.length, end: source.length }]) {
    if (name !== 'mdat') continue
    byteCount += sound.start - start
    if (byteCount > DESCRIPTION_BYTES_MAX) refuse('The MP4 file has a description that is too long.')
    nameCount += countNames(source, start, sound.start)
    start = sound.end
  }
  if (nameCount !== countBoxes(source, file)) refuse('The MP4 file states its length twice.')
}

function countNames({ view }: RecordingBytes, start: number, end: number): number {
  let count = 0
  for (let at = start; at + 4 <= end; at += 1) if (LENGTH_BOXES.has(view.getUint32(at))) count += 1
  return count
}

function countBoxes(source: RecordingBytes, boxes: readonly Box[]): number {
  let count = 0
  for (const { name, start, end } of boxes) {
    if (LENGTH_BOXES.has(codeOf(name))) count += 1
    if (CONTAINERS.has(name)) count += countBoxes(source, readBoxes(source, start, end))
  }
  return count
}

function codeOf(name: string): number {
  return [...name].reduce((code, letter) => code * 256 + letter.charCodeAt(0), 0)
}
