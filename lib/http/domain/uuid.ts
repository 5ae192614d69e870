const UUID_PATTERN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const TIME_OF_VERSION_7 = /^([0-9a-f]{8})-([0-9a-f]{4})-7/i

/** When it was made, in milliseconds since 1970; null for one that does not tell (RFC 9562, section 5.7). */
export function uuidTimeMs(id: string): number | null {
  const [, high, low] = TIME_OF_VERSION_7.exec(id) ?? []
  return high && low ? Number.parseInt(high + low, 16) : null
}

/** Ids come from URLs: one that is no UUID names nothing, rather than being an error of the database. */
export function isUuid(id: string): boolean {
  return UUID_PATTERN.test(id)
}
