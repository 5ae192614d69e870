import 'server-only'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const LETTER_N = 0x6e
const LETTER_U = 0x75
/** Length of an escape such as `\u00e9`. */
const UNICODE_ESCAPE_LENGTH = 6

/**
 * Where the value of `"name":` starts, or -1. Inside a JSON string every quote is escaped, so the
 * quoted name followed by a colon is a key and never a piece of somebody's text.
 */
export function findValue(bytes: Buffer, quotedName: Buffer, from: number): number {
  let at = bytes.indexOf(quotedName, from)
  while (at >= 0) {
    const afterName = skipSpace(bytes, at + quotedName.length)
    if (bytes[afterName] === COLON) return skipSpace(bytes, afterName + 1)
    at = bytes.indexOf(quotedName, afterName)
  }
  return -1
}

/** True when some `"name":` has another value than null; OpenAI writes `"usage":null` into every chunk. */
export function hasValue(bytes: Buffer, quotedName: Buffer): boolean {
  let at = findValue(bytes, quotedName, 0)
  while (at >= 0) {
    if (bytes[at] !== LETTER_N) return true
    at = findValue(bytes, quotedName, at)
  }
  return false
}

/**
 * About how many quarters of a token all string values of `"name":` have, by the weights of the
 * catalogue's `estimateTokens`, straight from the bytes: nothing is decoded.
 */
export function countTokenQuarters(bytes: Buffer, quotedName: Buffer): number {
  let quarters = 0
  let at = findValue(bytes, quotedName, 0)
  while (at >= 0) {
    if (bytes[at] === QUOTE) {
      at += 1
      for (let byte = bytes[at]; byte !== undefined && byte !== QUOTE; byte = bytes[at]) {
        if (byte !== BACKSLASH) {
          quarters += leadByteQuarters(byte)
          at += 1
        } else if (bytes[at + 1] === LETTER_U) {
          quarters += codeUnitQuarters(
            Number.parseInt(bytes.toString('latin1', at + 2, at + UNICODE_ESCAPE_LENGTH), 16),
          )
          at += UNICODE_ESCAPE_LENGTH
        } else {
          quarters += 1
          at += 2
        }
      }
    }
    at = findValue(bytes, quotedName, at)
  }
  return quarters
}

/** The first byte of a character of UTF-8 tells its length; the others were counted with it. */
function leadByteQuarters(byte: number): number {
  if (byte < 0x80) return 1
  if (byte < 0xc0) return 0
  if (byte < 0xe0) return 2
  return byte < 0xf0 ? 4 : 8
}

/** Half of a surrogate pair counts half of what the pair does. */
function codeUnitQuarters(unit: number): number {
  if (unit < 0x80) return 1
  return unit < 0x800 ? 2 : 4
}

function skipSpace(bytes: Buffer, from: number): number {
  let index = from
  while (bytes[index] === 0x20 || bytes[index] === 0x0a || bytes[index] === 0x0d || bytes[index] === 0x09)
    index += 1
  return index
}
