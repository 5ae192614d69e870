import { type Decimal, decimalFromInteger } from '@/lib/money/decimal'

/** More tokens than any context window has; keeps a count that an upstream invented within exact integers. */
const COUNT_MAX = 1_000_000_000

/** Turns a count from outside into a whole number: never negative, fractional or NaN. */
export function wholeCount(value: number): number {
  return value > 0 ? Math.ceil(Math.min(value, COUNT_MAX)) : 0
}

export function decimalFromCount(value: number): Decimal {
  return decimalFromInteger(wholeCount(value))
}
