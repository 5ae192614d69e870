/**
 * An exact decimal: `coefficient / 10^scale`. Prices per token are far smaller than a nano-dollar, and markups multiply
 * them, so they stay exact until a charge is rounded once (lib/money/nano.ts).
 */
export interface Decimal {
  readonly coefficient: bigint
  readonly scale: number
}

/** The longest decimal string accepted from outside; no real price comes near it. */
const TEXT_LENGTH_MAX = 64
/** The largest exponent accepted either way; `1e309` is an attack or a mistake, never a price. */
const EXPONENT_MAX = 40

const DECIMAL_PATTERN = /^(-?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/

export const ZERO: Decimal = { coefficient: 0n, scale: 0 }
export const MILLION: Decimal = { coefficient: 1_000_000n, scale: 0 }

/** Parses `"0.00000015"`, `"1.5e-7"`, `"-1"`; null if the text is not a finite decimal within bounds. */
export function parseDecimal(text: string): Decimal | null {
  const trimmed = text.trim()
  if (trimmed.length === 0 || trimmed.length > TEXT_LENGTH_MAX) return null
  const match = DECIMAL_PATTERN.exec(trimmed)
  if (!match) return null
  const [, sign, whole = '', fraction = '', exponentText] = match
  if (whole === '' && fraction === '') return null
  const exponent = Number(exponentText ?? '0')
  if (Math.abs(exponent) > EXPONENT_MAX) return null
  const magnitude = BigInt(whole + fraction)
  const coefficient = sign === '-' ? -magnitude : magnitude
  const scale = fraction.length - exponent
  return scale >= 0
    ? normalize({ coefficient, scale })
    : { coefficient: coefficient * 10n ** BigInt(-scale), scale: 0 }
}

export function decimalFromInteger(value: bigint | number): Decimal {
  return { coefficient: BigInt(value), scale: 0 }
}

export function add(left: Decimal, right: Decimal): Decimal {
  const scale = Math.max(left.scale, right.scale)
  return normalize({ coefficient: rescale(left, scale) + rescale(right, scale), scale })
}

export function subtract(left: Decimal, right: Decimal): Decimal {
  return add(left, { ...right, coefficient: -right.coefficient })
}

export function multiply(left: Decimal, right: Decimal): Decimal {
  return normalize({ coefficient: left.coefficient * right.coefficient, scale: left.scale + right.scale })
}

/** Negative if `left` is less than `right`, zero if they are equal, positive if it is greater. */
export function compare(left: Decimal, right: Decimal): number {
  const scale = Math.max(left.scale, right.scale)
  const difference = rescale(left, scale) - rescale(right, scale)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

export function isNegative(value: Decimal): boolean {
  return value.coefficient < 0n
}

export function isZero(value: Decimal): boolean {
  return value.coefficient === 0n
}

/** Plain notation without an exponent, as prices appear in the API. */
export function formatDecimal(value: Decimal): string {
  const { coefficient, scale } = normalize(value)
  const digits = (coefficient < 0n ? -coefficient : coefficient).toString().padStart(scale + 1, '0')
  const sign = coefficient < 0n ? '-' : ''
  return scale === 0
    ? `${sign}${digits}`
    : `${sign}${digits.slice(0, digits.length - scale)}.${digits.slice(digits.length - scale)}`
}

/** The nearest floating-point number, for uses where precision does not matter. */
export function toNumber(value: Decimal): number {
  return Number(formatDecimal(value))
}

function rescale(value: Decimal, scale: number): bigint {
  return scale === value.scale ? value.coefficient : value.coefficient * 10n ** BigInt(scale - value.scale)
}

function normalize(value: Decimal): Decimal {
  let { coefficient, scale } = value
  while (scale > 0 && coefficient % 10n === 0n) {
    coefficient /= 10n
    scale -= 1
  }
  return { coefficient, scale }
}
