import fc from 'fast-check'

const SURROGATE_START = 0xd800
const SURROGATE_COUNT = 0x800
const CODE_POINT_MAX = 0x10ffff

/**
 * Any character but half of a pair: fast-check's unit `binary`, which makes a list of all of them, more than a million,
 * for each `fc.string` that uses it.
 */
export const anyCharacter = fc.nat({ max: CODE_POINT_MAX - SURROGATE_COUNT }).map(toCharacter, toIndex)

function toCharacter(index: number): string {
  return String.fromCodePoint(index < SURROGATE_START ? index : index + SURROGATE_COUNT)
}

function toIndex(value: unknown): number {
  const codePoint = typeof value === 'string' && [...value].length === 1 ? value.codePointAt(0) : undefined
  if (codePoint === undefined || isSurrogate(codePoint)) throw new Error('This is not one character.')
  return codePoint < SURROGATE_START ? codePoint : codePoint - SURROGATE_COUNT
}

function isSurrogate(codePoint: number): boolean {
  return codePoint >= SURROGATE_START && codePoint < SURROGATE_START + SURROGATE_COUNT
}
