import { type RecordingBytes, refuse } from './recording-bytes'
import type { SoundLength } from './sound-length'

const CODEBOOK_START = 0x564342
const CODE_LENGTH_MAX = 32
/** After the packet type and the name. */
const HEADER_START = 7
const IDENTIFICATION_BYTES = 30
/** Twice what encoders write; every bit of it is read. */
export const SETUP_BYTES_MAX = 16 * 1024

/** What the first and the third packet of a Vorbis stream say about the length of the others. */
export interface VorbisStream {
  samplesPerSecond: number
  blockSamples: readonly [short: number, long: number]
  /** By the number that a packet begins with. */
  modeIsLong: readonly boolean[]
}

/** Counts the packets of a Vorbis stream: each plays half of itself and half of the previous one (I, 1.3.2). */
export class VorbisPackets {
  #previousSamples: number | null = null
  readonly #modeMask: number

  constructor(
    private readonly stream: VorbisStream,
    private readonly length: SoundLength,
  ) {
    this.#modeMask = (1 << bitsFor(stream.modeIsLong.length - 1)) - 1
  }

  add({ bytes }: RecordingBytes, at: number, byteCount: number): void {
    const first = bytes[at] ?? 0
    if (byteCount === 0 || (first & 1) === 1) return
    const isLong = this.stream.modeIsLong[(first >> 1) & this.#modeMask] ?? true
    const sampleCount = this.stream.blockSamples[isLong ? 1 : 0]
    this.length.add(((this.#previousSamples ?? sampleCount) + sampleCount) / 4, this.stream.samplesPerSecond)
    this.#previousSamples = sampleCount
  }
}

export function readVorbisStream(identification: RecordingBytes, setup: RecordingBytes): VorbisStream {
  const isVorbis = identification.has('\x01vorbis', 0) && setup.has('\x05vorbis', 0)
  const isSized = identification.length >= IDENTIFICATION_BYTES && setup.length <= SETUP_BYTES_MAX
  if (!isVorbis || !isSized) refuse('The Vorbis sound is damaged.')
  const channelCount = identification.byte(11)
  const blocks = identification.byte(28)
  return {
    samplesPerSecond: identification.uint32(12, true),
    blockSamples: [1 << (blocks & 15), 1 << (blocks >> 4)],
    modeIsLong: readModes(new SetupBits(setup), channelCount),
  }
}

/** The bits of a setup packet, least significant first. */
class SetupBits {
  #at = HEADER_START * 8

  constructor(private readonly source: RecordingBytes) {}

  read(bitCount: number): number {
    let value = 0
    for (let bit = 0; bit < bitCount; bit += 1, this.#at += 1) {
      value += ((this.source.byte(this.#at >> 3) >> (this.#at & 7)) & 1) * 2 ** bit
    }
    return value
  }

  /** Reads a list whose stored count is one less than its length. */
  readEach<Value>(bitCount: number, read: (bits: SetupBits) => Value): Value[] {
    return Array.from({ length: this.read(bitCount) + 1 }, () => read(this))
  }

  skip(bitCount: number): void {
    this.#at += bitCount
    if (this.#at > this.source.length * 8) refuse('The Vorbis sound is damaged.')
  }
}

/** The modes are at the end of the setup, after everything that has to be read to find them (I, 4.2.4). */
function readModes(bits: SetupBits, channelCount: number): boolean[] {
  bits.readEach(8, skipCodebook)
  bits.readEach(6, () => bits.skip(16))
  bits.readEach(6, skipFloor)
  bits.readEach(6, skipResidue)
  bits.readEach(6, () => skipMapping(bits, channelCount))
  return bits.readEach(6, () => {
    const isLong = bits.read(1) === 1
    bits.skip(16 + 16 + 8)
    return isLong
  })
}

function skipCodebook(bits: SetupBits): void {
  if (bits.read(24) !== CODEBOOK_START) refuse('The Vorbis sound is damaged.')
  const dimensionCount = bits.read(16)
  const entryCount = bits.read(24)
  if (bits.read(1) === 1) skipOrderedLengths(bits, entryCount)
  else {
    const isSparse = bits.read(1) === 1
    for (let entry = 0; entry < entryCount; entry += 1) {
      if (!isSparse || bits.read(1) === 1) bits.skip(5)
    }
  }
  const lookup = bits.read(4)
  if (lookup === 0) return
  if (lookup > 2 || dimensionCount === 0) refuse('The Vorbis sound is damaged.')
  bits.skip(32 + 32)
  const valueBits = bits.read(4) + 1
  bits.skip(1)
  bits.skip(valueBits * (lookup === 2 ? entryCount * dimensionCount : rootOf(entryCount, dimensionCount)))
}

function skipOrderedLengths(bits: SetupBits, entryCount: number): void {
  let codeLength = bits.read(5) + 1
  for (let entry = 0; entry < entryCount; codeLength += 1) {
    if (codeLength > CODE_LENGTH_MAX) refuse('The Vorbis sound is damaged.')
    entry += bits.read(bitsFor(entryCount - entry))
  }
}

/** The largest whole number whose power does not exceed the value. */
function rootOf(value: number, power: number): number {
  let root = Math.floor(value ** (1 / power))
  while ((root + 1) ** power <= value) root += 1
  while (root ** power > value) root -= 1
  return root
}

function skipFloor(bits: SetupBits): void {
  const kind = bits.read(16)
  if (kind === 0) {
    bits.skip(8 + 16 + 16 + 6 + 8)
    bits.readEach(4, () => bits.skip(8))
    return
  }
  if (kind !== 1) refuse('The Vorbis sound is damaged.')
  const partitions = Array.from({ length: bits.read(5) }, () => bits.read(4))
  const classes = Array.from({ length: Math.max(-1, ...partitions) + 1 }, () => {
    const dimensionCount = bits.read(3) + 1
    const subclassBits = bits.read(2)
    if (subclassBits > 0) bits.skip(8)
    bits.skip(8 * 2 ** subclassBits)
    return dimensionCount
  })
  bits.skip(2)
  const rangeBits = bits.read(4)
  for (const partition of partitions) bits.skip((classes[partition] ?? 0) * rangeBits)
}

function skipResidue(bits: SetupBits): void {
  if (bits.read(16) > 2) refuse('The Vorbis sound is damaged.')
  bits.skip(24 + 24 + 24)
  const classCount = bits.read(6) + 1
  bits.skip(8)
  const cascades = Array.from({ length: classCount }, () => {
    const low = bits.read(3)
    return low + (bits.read(1) === 1 ? bits.read(5) * 8 : 0)
  })
  for (const cascade of cascades) bits.skip(8 * onesIn(cascade))
}

function onesIn(value: number): number {
  let count = 0
  for (let rest = value; rest > 0; rest >>= 1) count += rest & 1
  return count
}

function skipMapping(bits: SetupBits, channelCount: number): void {
  if (bits.read(16) !== 0) refuse('The Vorbis sound is damaged.')
  const submapCount = bits.read(1) === 1 ? bits.read(4) + 1 : 1
  if (bits.read(1) === 1) bits.readEach(8, () => bits.skip(2 * bitsFor(channelCount - 1)))
  bits.skip(2)
  if (submapCount > 1) bits.skip(4 * channelCount)
  bits.skip(submapCount * (8 + 8 + 8))
}

/** How many bits a number up to this one takes. */
function bitsFor(value: number): number {
  return 32 - Math.clz32(value)
}
