import { PART_COUNT_MAX, type RecordingBytes, refuse } from './recording-bytes'

const HEADER_BYTES = 8
const LARGE_HEADER_BYTES = 16
/** Version and flags, with which the contents of many boxes begin (4.2). */
export const FULL_BOX_BYTES = 4
const LARGE_SIZE = 1
const REST_OF_FILE = 0
/** For a whole recording in fragments. */
const FILE_BOX_COUNT_MAX = 200_000

/** The contents of a box, without its header. */
export interface Box {
  name: string
  headAt: number
  start: number
  end: number
}

/** The boxes between two positions (ISO 14496-12, 4.2). Only the sound itself may be cut off. */
export function readBoxes(source: RecordingBytes, start: number, end: number): Box[] {
  const boxes: Box[] = []
  const isFile = end === source.length && start === 0
  let at = start
  const boxCountMax = isFile ? FILE_BOX_COUNT_MAX : PART_COUNT_MAX
  while (at + HEADER_BYTES <= end && boxes.length < boxCountMax) {
    const size = source.uint32(at)
    const name = source.text(at + 4, 4)
    const isLarge = size === LARGE_SIZE
    const headBytes = isLarge ? LARGE_HEADER_BYTES : HEADER_BYTES
    const byteCount = isLarge ? source.uint64(at + HEADER_BYTES) : size
    if (isFile && size === REST_OF_FILE && name === '\0\0\0\0') break
    const boxEnd = isFile && size === REST_OF_FILE ? end : at + byteCount
    const isCutOff = boxEnd > end && !(isFile && name === 'mdat')
    if (boxEnd < at + headBytes || isCutOff) refuse('The MP4 file is damaged.')
    boxes.push({ name, headAt: at, start: at + headBytes, end: Math.min(end, boxEnd) })
    at = boxEnd
  }
  if (at < end && !source.isZero(at, end)) refuse('The MP4 file is damaged.')
  return boxes
}

/** The only box with this name, or null. */
export function findBox(boxes: readonly Box[], name: string): Box | null {
  const [box, ...others] = boxes.filter(each => each.name === name)
  if (others.length > 0) refuse('The MP4 file states its length twice.')
  return box ?? null
}

export function needBox(boxes: readonly Box[], name: string): Box {
  return findBox(boxes, name) ?? refuse('The MP4 file is damaged.')
}
