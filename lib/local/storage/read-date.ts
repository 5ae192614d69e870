/** Epoch numbers below this are seconds (until the year 5138), those from it on milliseconds (since 1973). */
const MILLISECONDS_FROM = 100_000_000_000
const EPOCH_TEXT = /^\d{9,15}$/

/**
 * A date as the stores of this and other products hold one: ISO 8601 stays as it was written; a `Date`, and
 * epoch seconds or milliseconds, become ISO 8601. Null for what is no date.
 */
export function readDate(value: unknown): string | null {
  // A date out of a database may be of another realm, so its class does not tell.
  if (Object.prototype.toString.call(value) === '[object Date]') return isoOf(Number(value))
  if (typeof value === 'number') return isoOf(value < MILLISECONDS_FROM ? value * 1_000 : value)
  if (typeof value !== 'string') return null
  if (EPOCH_TEXT.test(value)) return readDate(Number(value))
  return Number.isNaN(Date.parse(value)) ? null : value
}

function isoOf(epochMs: number): string | null {
  const date = new Date(epochMs)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}
