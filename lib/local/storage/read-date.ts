/** Smaller epoch numbers are seconds (until the year 5138), larger ones milliseconds (since 1973). */
const MILLISECONDS_FROM = 100_000_000_000
const EPOCH_TEXT = /^\d{9,15}$/

/**
 * A date in any form used by this and other products' stores: ISO 8601 is kept as it was written; a `Date`, and epoch
 * seconds or milliseconds, become ISO 8601. Null if it is not a date.
 */
export function readDate(value: unknown): string | null {
  // A date from a database may be from another realm, so its class proves nothing.
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
