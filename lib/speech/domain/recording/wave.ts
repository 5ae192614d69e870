import { holdsCompressedSound } from './hidden-sound'
import { addMpegFrames } from './mpeg-audio'
import { PART_COUNT_MAX, type RecordingBytes, refuse } from './recording-bytes'
import { SoundLength } from './sound-length'

const CODEC = {
  pcm: 0x0001,
  microsoftAdpcm: 0x0002,
  float: 0x0003,
  aLaw: 0x0006,
  muLaw: 0x0007,
  imaAdpcm: 0x0011,
  mpeg: 0x0050,
  mp3: 0x0055,
  extensible: 0xfffe,
}
const PLAIN_CODECS = new Set([CODEC.pcm, CODEC.float, CODEC.aLaw, CODEC.muLaw])
const ADPCM_CODECS = new Set([CODEC.microsoftAdpcm, CODEC.imaAdpcm])
const MPEG_CODECS = new Set([CODEC.mpeg, CODEC.mp3])
/** What follows the codec in the sub-format's GUID, for every codec with a number. */
const SUB_FORMAT_REST = '\0\0\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71'

/** Where a large file (RF64) contains the size of its sound. */
const LARGE_SIZE_AT = 28
const PLAIN_FORMAT_BYTES = 16
const EXTENSIBLE_FORMAT_BYTES = 40
/** Chunks that no decoder plays. */
const TEXT_CHUNKS = new Set([
  'LIST',
  'id3 ',
  'ID3 ',
  'bext',
  'fact',
  'cue ',
  'JUNK',
  'PAD ',
  'iXML',
  '_PMX',
  'PEAK',
])
/** Chunks that make some decoders read the file differently. */
const FOREIGN_CHUNKS = new Set(['fmt ', 'XMA2', 'SMV0', 'RIFF'])
const UNKNOWN_SIZES = new Set([0, 0xffffffff])

interface WaveFormat {
  codec: number
  channelCount: number
  samplesPerSecond: number
  bytesPerBlock: number
  bitsPerSample: number
}

/** A WAV file by the bytes that are present: neither its sizes nor its bytes per second are trusted. */
export function measureWave(source: RecordingBytes): number {
  let format: WaveFormat | null = null
  const isLarge = source.has('RF64', 0)
  if (isLarge && !source.has('ds64', 12)) refuse('The WAV file is damaged.')
  for (let at = 12, chunk = 0; chunk < PART_COUNT_MAX; chunk += 1) {
    const name = source.text(at, 4)
    const byteCount = source.uint32(at + 4, true)
    const start = at + 8
    if (name === 'data') {
      if (format === null) refuse('The WAV file does not name its format.')
      if (isActRecording(source)) refuse('The file can be read as WAV and as another format.')
      return secondsOf(
        source,
        format,
        start,
        soundEnd(source, start, isLarge ? source.uint64(LARGE_SIZE_AT, true) : byteCount),
      )
    }
    if (name === 'fmt ' && format === null) format = readFormat(source, start, byteCount)
    else if (FOREIGN_CHUNKS.has(name)) refuse('The WAV file is damaged.')
    at = start + byteCount + (byteCount % 2)
  }
  refuse('The WAV file is damaged.')
}

function readFormat(source: RecordingBytes, at: number, byteCount: number): WaveFormat {
  if (byteCount < PLAIN_FORMAT_BYTES) refuse('The WAV file does not name its format.')
  const codec = source.uint16(at, true)
  const isExtensible = codec === CODEC.extensible
  const isNumbered = byteCount >= EXTENSIBLE_FORMAT_BYTES && source.has(SUB_FORMAT_REST, at + 26)
  if (isExtensible && !isNumbered) refuse('This kind of WAV file is not accepted.')
  const bitsPerSample = source.uint16(at + 14, true)
  const validBits = isExtensible ? source.uint16(at + 18, true) : 0
  return {
    codec: isExtensible ? source.uint16(at + 24, true) : codec,
    channelCount: source.uint16(at + 2, true),
    samplesPerSecond: source.uint32(at + 4, true),
    bytesPerBlock: source.uint16(at + 12, true),
    // Some decoders go by the bits in use, and so find more samples than were recorded.
    bitsPerSample: validBits === 0 ? bitsPerSample : Math.min(bitsPerSample, validBits),
  }
}

/**
 * Where the sound ends: at the end of its chunk if only text follows, otherwise at the end of the file. Decoders differ
 * on what follows a chunk of odd size, so nothing after one counts as text.
 */
function soundEnd(source: RecordingBytes, start: number, byteCount: number): number {
  if (UNKNOWN_SIZES.has(byteCount)) return source.length
  let isText = byteCount % 2 === 0
  let at = start + byteCount + (byteCount % 2)
  for (let chunk = 0; at + 8 <= source.length; chunk += 1) {
    if (chunk === PART_COUNT_MAX) refuse('The WAV file is damaged.')
    const name = source.text(at, 4)
    const textByteCount = source.uint32(at + 4, true)
    if (name === 'data' || FOREIGN_CHUNKS.has(name)) refuse('The WAV file contains several sounds.')
    isText &&= textByteCount % 2 === 0 && TEXT_CHUNKS.has(name)
    at += 8 + textByteCount + (textByteCount % 2)
  }
  return isText && at === source.length ? start + byteCount : source.length
}

function secondsOf(source: RecordingBytes, format: WaveFormat, start: number, end: number): number {
  const { codec, channelCount, samplesPerSecond, bytesPerBlock, bitsPerSample } = format
  const length = new SoundLength()
  const byteCount = end - start
  if (MPEG_CODECS.has(codec)) {
    addMpegFrames(source, start, end, length)
    return length.seconds
  }
  if (channelCount === 0 || bitsPerSample === 0) refuse('The WAV file does not name its format.')
  if (PLAIN_CODECS.has(codec)) {
    if (holdsCompressedSound(source, start)) refuse('The WAV file hides compressed sound.')
    const bytesPerSample = channelCount * Math.ceil(bitsPerSample / 8)
    length.add(byteCount / Math.min(bytesPerSample, bytesPerBlock || bytesPerSample), samplesPerSecond)
    return length.seconds
  }
  if (!ADPCM_CODECS.has(codec) || bitsPerSample !== 4 || channelCount > 2) {
    refuse('This kind of WAV file is not accepted.')
  }
  // Half a byte per sample; the few bytes at the start of each block play less.
  length.add((byteCount * 2) / channelCount, samplesPerSecond)
  return length.seconds
}

/**
 * A dictaphone's format (ACT) that begins like WAV but is compressed, so that its sound is longer than its bytes
 * suggest.
 */
function isActRecording(source: RecordingBytes): boolean {
  return source.length > 512 && source.byte(256) === 0x84 && source.isZero(264, 512)
}
