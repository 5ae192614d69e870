import { type Box, FULL_BOX_BYTES, needBox, readBoxes } from './mp4-boxes'
import type { Mp4Track, SampleBytes } from './mp4-track'
import { type RecordingBytes, refuse } from './recording-bytes'

/** The fields that a track fragment, or one run of its samples, may contain (ISO 14496-12, 8.8.7 and 8.8.8). */
const FRAGMENT = { base: 0x1, description: 0x2, duration: 0x8, size: 0x10, flags: 0x20, baseIsMoof: 0x20000 }
const RUN = { offset: 0x1, firstFlags: 0x4, duration: 0x100, size: 0x200, flags: 0x400, composition: 0x800 }
/** Version and flags, and the number that follows them. */
const HEADER_BYTES = FULL_BOX_BYTES + 4

interface SampleDefaults {
  duration: number
  byteCount: number
}

/** By the number of their track. */
export type FragmentDefaults = ReadonlyMap<number, SampleDefaults>

export function readDefaults(source: RecordingBytes, mvex: Box | null): FragmentDefaults {
  const boxes = mvex === null ? [] : readBoxes(source, mvex.start, mvex.end)
  return new Map(
    boxes
      .filter(({ name }) => name === 'trex')
      .map(({ start }) => [
        source.uint32(start + 4),
        { duration: source.uint32(start + 12), byteCount: source.uint32(start + 16) },
      ]),
  )
}

interface FragmentInput {
  tracks: readonly Mp4Track[]
  defaults: FragmentDefaults
  sampleBytes: SampleBytes
}

/** Adds a piece of a recording that was written while it was recorded. */
export function addFragment(source: RecordingBytes, moof: Box, input: FragmentInput): void {
  const trafs = readBoxes(source, moof.start, moof.end).filter(({ name }) => name === 'traf')
  for (const [index, traf] of trafs.entries()) {
    const boxes = readBoxes(source, traf.start, traf.end)
    const header = needBox(boxes, 'tfhd').start
    const id = source.uint32(header + FULL_BOX_BYTES)
    const track = input.tracks.find(each => each.id === id)
    const defaults = input.defaults.get(id)
    if (track === undefined || defaults === undefined) refuse('The MP4 file is damaged.')
    const fragment = readFragmentHeader(source, header, defaults)
    const isMoofBase = fragment.baseIsMoof || index === 0
    const base = fragment.base ?? (isMoofBase ? moof.headAt : refuse('The MP4 file is damaged.'))
    const runs = boxes.filter(({ name }) => name === 'trun')
    for (const [number, run] of runs.entries()) {
      addRun(source, run, { ...fragment, base, isFirst: number === 0, track, sampleBytes: input.sampleBytes })
    }
  }
}

interface FragmentHeader extends SampleDefaults {
  base: number | null
  baseIsMoof: boolean
}

function readFragmentHeader(source: RecordingBytes, start: number, defaults: SampleDefaults): FragmentHeader {
  const flags = source.uint24(start + 1)
  let at = start + HEADER_BYTES
  const field = (flag: number, byteCount: 4 | 8) => {
    if ((flags & flag) === 0) return null
    at += byteCount
    return byteCount === 8 ? source.uint64(at - 8) : source.uint32(at - 4)
  }
  const base = field(FRAGMENT.base, 8)
  field(FRAGMENT.description, 4)
  return {
    base,
    baseIsMoof: (flags & FRAGMENT.baseIsMoof) !== 0,
    duration: field(FRAGMENT.duration, 4) ?? defaults.duration,
    byteCount: field(FRAGMENT.size, 4) ?? defaults.byteCount,
  }
}

interface RunInput extends SampleDefaults {
  base: number
  isFirst: boolean
  track: Mp4Track
  sampleBytes: SampleBytes
}

function addRun(source: RecordingBytes, run: Box, input: RunInput): void {
  const { track, sampleBytes } = input
  const flags = source.uint24(run.start + 1)
  const sampleCount = source.uint32(run.start + FULL_BOX_BYTES)
  const hasOffset = (flags & RUN.offset) !== 0
  if (!hasOffset && !input.isFirst) refuse('The MP4 file is damaged.')
  let at = input.base + (hasOffset ? source.int32(run.start + HEADER_BYTES) : 0)
  if (at < 0) refuse('The MP4 file is damaged.')
  let entry = run.start + HEADER_BYTES + (hasOffset ? 4 : 0) + ((flags & RUN.firstFlags) === 0 ? 0 : 4)
  const fields = [RUN.duration, RUN.size, RUN.flags, RUN.composition].filter(field => (flags & field) !== 0)
  const entryBytes = 4 * fields.length
  const sizeAt = (flags & RUN.duration) === 0 ? 0 : 4
  if (entry + sampleCount * entryBytes > run.end) refuse('The MP4 file is damaged.')
  if ((flags & RUN.duration) === 0) track.tickCount += sampleCount * input.duration
  if (entryBytes === 0 && input.byteCount === 0) return
  for (let sample = 0; sample < sampleCount; sample += 1, entry += entryBytes) {
    if ((flags & RUN.duration) !== 0) track.tickCount += source.uint32(entry)
    const byteCount = (flags & RUN.size) === 0 ? input.byteCount : source.uint32(entry + sizeAt)
    sampleBytes.take(byteCount)
    track.sound?.add(at, byteCount)
    at += byteCount
  }
}
