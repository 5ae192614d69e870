import { PART_COUNT_MAX, type RecordingBytes, refuse } from './recording-bytes'
import { SoundLength } from './sound-length'

/** Codecs of AIFF-C and CAF whose samples all have one size: this size, or that given in the file. */
const PLAIN_CODECS = new Map<string, number | null>([
  ['NONE', null],
  ['twos', null],
  ['sowt', null],
  ['lpcm', null],
  ['raw ', null],
  ['in24', 24],
  ['in32', 32],
  ['fl32', 32],
  ['FL32', 32],
  ['fl64', 64],
  ['FL64', 64],
  ['ulaw', 8],
  ['ULAW', 8],
  ['alaw', 8],
  ['ALAW', 8],
])
const AIFF_FORMAT_BYTES = 18
/** Offset and block size before AIFF's samples. */
const AIFF_SOUND_HEAD_BYTES = 8
const CAF_HEADER_BYTES = 8
/** The number of edits before CAF's samples. */
const CAF_SOUND_HEAD_BYTES = 4

interface PlainFormat {
  codec: string
  channelCount: number
  bitsPerSample: number
  samplesPerSecond: number
}

/** AIFF and AIFF-C: the number of bytes present, divided by the bytes per second. */
export function measureAiff(source: RecordingBytes): number {
  const isPlain = source.has('AIFF', 8)
  let format: PlainFormat | null = null
  let soundAt = 0
  for (let at = 12, chunk = 0; at + 8 <= source.length; chunk += 1) {
    if (chunk === PART_COUNT_MAX) refuse('The AIFF file is damaged.')
    const name = source.text(at, 4)
    const byteCount = source.uint32(at + 4)
    if ((name === 'COMM' && format !== null) || (name === 'SSND' && soundAt !== 0)) {
      refuse('The AIFF file contains several sounds.')
    }
    if (name === 'COMM') format = readCommon(source, at + 8, isPlain)
    if (name === 'SSND') soundAt = at + 8 + AIFF_SOUND_HEAD_BYTES
    at += 8 + byteCount + (byteCount % 2)
  }
  return secondsOf(format, soundAt === 0 ? 0 : source.length - soundAt)
}

function readCommon(source: RecordingBytes, at: number, isPlain: boolean): PlainFormat {
  // The rate is an 80-bit float: an exponent, and a mantissa of which 32 bits suffice.
  const exponent = (source.uint16(at + 8) & 0x7fff) - 16_383 - 31
  return {
    codec: isPlain ? 'NONE' : source.text(at + AIFF_FORMAT_BYTES, 4),
    channelCount: source.uint16(at),
    bitsPerSample: source.uint16(at + 6),
    samplesPerSecond: source.uint32(at + 10) * 2 ** exponent,
  }
}

/** Apple's Core Audio Format, with plain samples only. */
export function measureCaf(source: RecordingBytes): number {
  let format: PlainFormat | null = null
  let soundAt = 0
  for (let at = CAF_HEADER_BYTES, chunk = 0; at + 12 <= source.length; chunk += 1) {
    if (chunk === PART_COUNT_MAX) refuse('The CAF file is damaged.')
    const name = source.text(at, 4)
    if ((name === 'desc' && format !== null) || (name === 'data' && soundAt !== 0)) {
      refuse('The CAF file contains several sounds.')
    }
    if (name === 'desc') {
      format = {
        samplesPerSecond: source.float64(at + 12),
        codec: source.text(at + 20, 4),
        channelCount: source.uint32(at + 36),
        bitsPerSample: source.uint32(at + 40),
      }
    }
    if (name === 'data') soundAt = at + 12 + CAF_SOUND_HEAD_BYTES
    at += 12 + source.uint64(at + 4)
  }
  return secondsOf(format, soundAt === 0 ? 0 : source.length - soundAt)
}

/** Every byte after the sound's header counts, so that a false size gains nothing. */
function secondsOf(format: PlainFormat | null, byteCount: number): number {
  if (format === null || byteCount <= 0) refuse('The recording does not name its format.')
  const { codec, channelCount, bitsPerSample, samplesPerSecond } = format
  const bits = PLAIN_CODECS.get(codec)
  if (bits === undefined) refuse('This kind of AIFF or CAF file is not accepted.')
  const bytesPerSample = channelCount * Math.ceil((bits ?? bitsPerSample) / 8)
  if (bytesPerSample === 0) refuse('The recording does not name its format.')
  const length = new SoundLength()
  length.add(byteCount / bytesPerSample, samplesPerSecond)
  return length.seconds
}
