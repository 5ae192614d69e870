import { type Decimal, formatDecimal, parseDecimal } from './decimal'

/** An amount of money in nano-dollars (1e-9 USD), the only unit of ledgers, holds and charges. */
export type Nano = bigint

export const NANO_PER_USD = 1_000_000_000n
export const NANO_PER_CENT = 10_000_000n
const NANO_SCALE = 9

/**
 * The largest amount of a single transfer: a million dollars. Far above any real top-up, and far below where 64-bit
 * sums could overflow.
 */
export const NANO_MAX: Nano = 1_000_000n * NANO_PER_USD

/** The one rounding rule: a charge is rounded up, once, at the end. */
export function ceilToNano(usd: Decimal): Nano {
  return divideUp(usd.coefficient * NANO_PER_USD, 10n ** BigInt(usd.scale))
}

/** Rounds down, so that a payment is never credited with more than was paid. */
export function floorToNano(usd: Decimal): Nano {
  return divideDown(usd.coefficient * NANO_PER_USD, 10n ** BigInt(usd.scale))
}

export function nanoToDecimal(nano: Nano): Decimal {
  return { coefficient: nano, scale: NANO_SCALE }
}

/**
 * The exact amount of a decimal string such as `"1.25"`; null if it is malformed, negative, or finer than a
 * nano-dollar.
 */
export function parseNano(usdText: string): Nano | null {
  const usd = parseDecimal(usdText)
  if (!usd || usd.coefficient < 0n || usd.scale > NANO_SCALE) return null
  return usd.coefficient * 10n ** BigInt(NANO_SCALE - usd.scale)
}

/** Decimal text in dollars, without trailing zeros: `1250000000n` becomes `"1.25"`. */
export function formatUsd(nano: Nano): string {
  return formatDecimal(nanoToDecimal(nano))
}

/** Only for the edge of the API, where clients expect a JSON number of dollars. */
export function nanoToUsdNumber(nano: Nano): number {
  return Number(formatUsd(nano))
}

/** The inverse of `nanoToUsdNumber`. */
export function usdNumberToNano(usd: number): Nano {
  return parseNano(usd.toFixed(NANO_SCALE)) ?? 0n
}

export function minNano(left: Nano, right: Nano): Nano {
  return left < right ? left : right
}

export function maxNano(left: Nano, right: Nano): Nano {
  return left > right ? left : right
}

function divideDown(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator
  return numerator % denominator < 0n ? quotient - 1n : quotient
}

export function divideUp(numerator: bigint, denominator: bigint): bigint {
  return -divideDown(-numerator, denominator)
}
