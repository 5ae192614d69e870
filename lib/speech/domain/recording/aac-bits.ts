import type { CodeTable } from './aac-tables'

const WORD_BITS = 20
/** Most codes are no longer than this. */
const QUICK_BITS = 10
/** An escape with more leading ones is an error. */
const ESCAPE_ONES_MAX = 8
/** Signs and escapes after a code. */
const ESCAPED: Readonly<Record<string, readonly number[]>> = { a: [1, 1], b: [2, 1], c: [2, 2] }

/** The bits of a frame, most significant first. After the end of the file they are zero. */
export class AacBits {
  at = 0
  #end = 0

  constructor(private readonly bytes: Uint8Array) {}

  /** Starts reading the bytes between two positions. */
  open(start: number, end: number): void {
    this.at = start * 8
    this.#end = end * 8
  }

  get isOver(): boolean {
    return this.at > this.#end
  }

  /** Up to twenty bits. */
  read(bitCount: number): number {
    const value = this.peek() >>> (WORD_BITS - bitCount)
    this.at += bitCount
    return value
  }

  skip(bitCount: number): void {
    this.at += bitCount
  }

  /** The next twenty bits. */
  peek(): number {
    const { bytes } = this
    const at = this.at >>> 3
    const high = ((bytes[at] ?? 0) << 24) | ((bytes[at + 1] ?? 0) << 16)
    const word = high | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0)
    return (word << (this.at & 7)) >>> (32 - WORD_BITS)
  }

  align(): void {
    this.at = (this.at + 7) & ~7
  }
}

/** Skips the codes of one table. */
export class AacCodes {
  readonly #lengthMin: number
  /** For the codes of each length: the word after the last one, the word of the first one, and its index. */
  readonly #ends: Uint32Array
  readonly #starts: Uint32Array
  readonly #numbers: Uint32Array
  readonly #signCounts: Uint8Array
  readonly #escapeCounts: Uint8Array
  /** By the first bits of a word: the length of its code including signs; 0 for long codes and escapes. */
  readonly #quick = new Uint8Array(1 << QUICK_BITS)

  constructor({ counts, more = '' }: CodeTable) {
    this.#lengthMin = counts.findIndex(count => count > 0) + 1
    this.#ends = new Uint32Array(counts.length + 1)
    this.#starts = new Uint32Array(counts.length + 1)
    this.#numbers = new Uint32Array(counts.length + 1)
    let start = 0
    let number = 0
    for (const [index, count] of counts.entries()) {
      this.#starts[index + 1] = start
      this.#numbers[index + 1] = number
      start += count * 2 ** (WORD_BITS - 1 - index)
      number += count
      this.#ends[index + 1] = start
    }
    this.#signCounts = new Uint8Array(number)
    this.#escapeCounts = new Uint8Array(number)
    for (const [index, letter] of [...more].entries()) {
      const [signCount = 0, escapeCount = 0] = ESCAPED[letter] ?? [Number(letter), 0]
      this.#signCounts[index] = signCount
      this.#escapeCounts[index] = escapeCount
    }
    for (const index of this.#quick.keys()) {
      const { length, code } = this.find(index << (WORD_BITS - QUICK_BITS))
      const isQuick = length <= QUICK_BITS && this.#escapeCounts[code] === 0
      if (isQuick) this.#quick[index] = length + (this.#signCounts[code] ?? 0)
    }
  }

  private find(word: number): { length: number; code: number } {
    let length = this.#lengthMin
    while (word >= (this.#ends[length] ?? 0)) length += 1
    const place = (word - (this.#starts[length] ?? 0)) >>> (WORD_BITS - length)
    return { length, code: (this.#numbers[length] ?? 0) + place }
  }

  /** Skips one code and what follows it. @returns whether decoders accept it. */
  skip(bits: AacBits): boolean {
    const word = bits.peek()
    const quick = this.#quick[word >>> (WORD_BITS - QUICK_BITS)] ?? 0
    if (quick > 0) {
      bits.at += quick
      return true
    }
    const { length, code } = this.find(word)
    bits.skip(length + (this.#signCounts[code] ?? 0))
    for (let count = this.#escapeCounts[code] ?? 0; count > 0; count -= 1) {
      const ones = Math.clz32(~(bits.peek() << (32 - WORD_BITS)))
      if (ones > ESCAPE_ONES_MAX) return false
      // The ones are followed by a zero, and then by four bits plus one for each of the ones.
      bits.skip(ones + 1 + ones + 4)
    }
    return true
  }
}
