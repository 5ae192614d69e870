const UUID_PATTERN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Ids come from URLs: one that is no UUID names nothing, rather than being an error of the database. */
export function isUuid(id: string): boolean {
  return UUID_PATTERN.test(id)
}
