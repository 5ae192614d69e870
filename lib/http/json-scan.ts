import 'server-only'
import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ApiError } from './api-error'
import { isObject } from './domain/is-object'

/**
 * The time that JSON takes to parse depends on its values, not its bytes: a picture of 28 MB is one value, half a
 * megabyte of `{},` is 200,000 of them. So the values are counted while the body arrives: every object, array, key and
 * string. Within these bounds the worst body that was found (as many keys as possible, all different) takes
 * `JSON.parse` 15 to 30 ms on two slow cores; without them, 32 MB of keys took 8 s.
 */
export const JSON_VALUE_COUNT_MAX = 40_000
/** Numbers and literals are cheap, and lists of tokens have many: this many count as one value. */
const WORDS_PER_VALUE = 8
/** For everything but long strings: brackets, keys, numbers, short strings, white space. */
const STRUCTURE_BYTES_MAX = 3 * 1024 * 1024
/**
 * Deeper than any message, tool schema or body of ours; far less than what overflows the stack of a
 * function that calls itself (JSON.stringify among them), which JSON.parse does not.
 */
export const JSON_DEPTH_MAX = 256
/** A longer string is parsed apart from the rest. A longer key is refused. */
const LONG_TEXT_BYTES = 2 * 1024
/** Up to this size `JSON.parse` takes a few milliseconds, whatever the body is. */
const WHOLE_BYTES_MAX = 256 * 1024
/** How much is decoded or written without a pause, in 1 to 3 ms; then others get a turn. */
const STEP_BYTES = 1024 * 1024

/** After this many bytes without an escape a string is searched natively, since most of a large body is pictures. */
const PLAIN_BYTES = 64

const QUOTE = 0x22
const BACKSLASH = 0x5c
const LOWER_U = 0x75

/** Scans JSON byte by byte as it arrives, and refuses what would take too long to parse. */
export class JsonScan {
  /** Where the contents of each long string begin and end. */
  readonly longTexts: { start: number; end: number }[] = []
  #position = 0
  #textStart = -1
  #isEscaped = false
  #isInWord = false
  #isAfterLongText = false
  #depth = 0
  #valueCount = 0
  #wordCount = 0
  #longByteCount = 0

  /** @throws ApiError invalid_request */
  push(bytes: Uint8Array): void {
    const piece = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    let index = 0
    while (index < piece.byteLength) {
      index = this.#textStart < 0 ? this.#scanStructure(piece, index) : this.#scanText(piece, index)
    }
    this.#position += piece.byteLength
    const openByteCount = this.#textStart < 0 ? 0 : this.#position - this.#textStart
    const textByteCount = openByteCount > LONG_TEXT_BYTES ? openByteCount : 0
    const structureByteCount = this.#position - this.#longByteCount - textByteCount
    if (
      this.#valueCount + this.#wordCount / WORDS_PER_VALUE > JSON_VALUE_COUNT_MAX ||
      structureByteCount > STRUCTURE_BYTES_MAX
    ) {
      throw new ApiError('invalid_request', 'The body has too many JSON values.')
    }
  }

  /** Scans past the next quotation mark. */
  #scanStructure(piece: Buffer, from: number): number {
    let isInWord = this.#isInWord
    let index = from
    for (; index < piece.byteLength; index += 1) {
      switch (piece[index]) {
        case QUOTE:
          this.#isInWord = false
          this.#valueCount += 1
          this.#isAfterLongText = false
          this.#textStart = this.#position + index + 1
          return index + 1
        case 0x7b: // {
        case 0x5b: // [
          this.#valueCount += 1
          this.#depth += 1
          if (this.#depth > JSON_DEPTH_MAX)
            throw new ApiError('invalid_request', 'The body is nested too deeply.')
          isInWord = false
          break
        case 0x7d: // }
        case 0x5d: // ]
          this.#depth -= 1
          isInWord = false
          break
        case 0x3a: // :
          if (this.#isAfterLongText) throw new ApiError('invalid_request', 'A key in the body is too long.')
          isInWord = false
          break
        case 0x2c: // ,
          this.#isAfterLongText = false
          isInWord = false
          break
        case 0x20:
        case 0x09:
        case 0x0a:
        case 0x0d:
          isInWord = false
          break
        default:
          if (!isInWord) this.#wordCount += 1
          isInWord = true
      }
    }
    this.#isInWord = isInWord
    return index
  }

  /** Scans past the end of a string. */
  #scanText(piece: Buffer, from: number): number {
    let index = from
    if (this.#isEscaped) {
      this.#isEscaped = false
      index += 1
    }
    const length = piece.byteLength
    let quote = -1
    let plainFrom = index
    for (; index < length; index += 1) {
      if (index - plainFrom === PLAIN_BYTES) {
        if (quote < index) quote = indexOf(piece, QUOTE, index)
        index = indexOf(piece.subarray(0, quote), BACKSLASH, index)
        if (index === length) break
      }
      const byte = piece[index]
      if (byte === BACKSLASH) {
        index += 1
        plainFrom = index + 1
      } else if (byte === QUOTE) {
        this.#endText(this.#position + index)
        return index + 1
      }
    }
    this.#isEscaped = index > length
    return length
  }

  #endText(end: number): void {
    const byteCount = end - this.#textStart
    if (byteCount > LONG_TEXT_BYTES) {
      this.longTexts.push({ start: this.#textStart, end })
      this.#longByteCount += byteCount
      this.#isAfterLongText = true
    }
    this.#textStart = -1
  }
}

/**
 * Parses what has been scanned. In a large body the long strings are parsed apart, in steps between which others get a
 * turn, and put in afterwards: a picture in base64 with one emoji beside it would take `JSON.parse` a fifth of a
 * second.
 *
 * @throws SyntaxError | TypeError if it is not JSON in UTF-8
 */
export async function parseScanned(bytes: Uint8Array, scan: JsonScan): Promise<unknown> {
  if (bytes.byteLength <= WHOLE_BYTES_MAX) return JSON.parse(UTF_8.decode(bytes))
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const mark = randomUUID()
  const parts: Uint8Array[] = []
  let from = 0
  for (const [index, { start, end }] of scan.longTexts.entries()) {
    parts.push(bytes.subarray(from, start), Buffer.from(mark + index))
    from = end
  }
  parts.push(bytes.subarray(from))
  const root = { value: JSON.parse(UTF_8.decode(Buffer.concat(parts))) as unknown }
  const texts: string[] = []
  let stepByteCount = 0
  for (const { start, end } of scan.longTexts) {
    const pieces: string[] = []
    for (let at = start; at < end; ) {
      const next = cutBehind(buffer, at, end)
      pieces.push(parseText(bytes.subarray(at, next)))
      stepByteCount += next - at
      at = next
      if (stepByteCount < STEP_BYTES) continue
      stepByteCount = 0
      await nextTurn()
    }
    texts.push(pieces.length === 1 ? (pieces[0] ?? '') : pieces.join(''))
  }
  if (texts.length > 0) putIn(root, mark, texts)
  // Whatever is done with so large a value next takes time, too.
  await nextTurn()
  return root.value
}

/**
 * Writes a value as JSON in UTF-8, its long strings in steps between which others get a turn: for the same picture,
 * `JSON.stringify` and encoding its result take a third of a second.
 */
export async function encodeJson(value: unknown): Promise<Buffer> {
  const mark = randomUUID()
  const texts: string[] = []
  const json = JSON.stringify(takeOut(value, mark, texts))
  const [head = '', ...tails] = json.split(mark)
  const parts = [Buffer.from(head)]
  let stepLength = 0
  for (const [index, text] of texts.entries()) {
    for (let at = 0; at < text.length; at += STEP_BYTES) {
      const piece = text.slice(at, at + STEP_BYTES)
      parts.push(Buffer.from(JSON.stringify(piece).slice(1, -1)))
      stepLength += piece.length
      if (stepLength < STEP_BYTES) continue
      stepLength = 0
      await nextTurn()
    }
    parts.push(Buffer.from(tails[index] ?? ''))
  }
  return Buffer.concat(parts)
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true })
const UTF_8_PART = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Decodes a part of a string's contents by `JSON.parse`, which refuses what JSON does not allow there. */
function parseText(contents: Uint8Array): string {
  return JSON.parse(`"${UTF_8_PART.decode(contents)}"`)
}

/** Where a step ends: in the middle of neither an escape nor a character. */
function cutBehind(bytes: Buffer, from: number, end: number): number {
  const target = Math.min(from + STEP_BYTES, end)
  let at = indexOf(bytes.subarray(0, target), BACKSLASH, from)
  while (at < target) {
    if (bytes[at] !== BACKSLASH) at += 1
    else at += bytes[at + 1] === LOWER_U ? 6 : 2
  }
  while (at < end && ((bytes[at] ?? 0) & 0xc0) === 0x80) at += 1
  return Math.min(at, end)
}

/** The length if the byte is not there. */
function indexOf(bytes: Buffer, byte: number, from: number): number {
  const index = bytes.indexOf(byte, from)
  return index < 0 ? bytes.byteLength : index
}

/** Iterative, since hostile input may nest deeply. */
function putIn(root: Record<string, unknown>, mark: string, texts: readonly string[]): void {
  const waiting: (Record<string, unknown> | unknown[])[] = [root]
  const resolve = (member: unknown): unknown => {
    if (typeof member === 'string') {
      return member.startsWith(mark) ? texts[Number(member.slice(mark.length))] : member
    }
    if (Array.isArray(member) || isObject(member)) waiting.push(member)
    return member
  }
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (Array.isArray(next)) {
      for (let index = 0; index < next.length; index += 1) next[index] = resolve(next[index])
    } else {
      for (const key of Object.keys(next)) next[key] = resolve(next[key])
    }
  }
}

/** The same value with marks in place of its long strings, in the order in which JSON writes them. */
function takeOut(value: unknown, mark: string, texts: string[]): unknown {
  if (typeof value === 'string' && value.length > LONG_TEXT_BYTES) {
    texts.push(value)
    return mark
  }
  if (Array.isArray(value)) {
    const members: unknown[] = value
    let copy = members
    for (let index = 0; index < members.length; index += 1) {
      const member = takeOut(members[index], mark, texts)
      if (member === members[index]) continue
      if (copy === members) copy = [...members]
      copy[index] = member
    }
    return copy
  }
  if (!isObject(value)) return value
  let copy = value
  for (const key of Object.keys(value)) {
    const member = takeOut(value[key], mark, texts)
    if (member === value[key]) continue
    if (copy === value) copy = { ...value }
    copy[key] = member
  }
  return copy
}
