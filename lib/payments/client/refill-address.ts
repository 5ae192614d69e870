/** As lib/payments/server/refill-token makes them. */
const TOKEN_PATTERN = /^rf-[A-Za-z0-9_-]{32}$/

/**
 * The address to hand out. The token stands in the fragment, which browsers send to no server: it is in
 * no log and in no Referer.
 */
export function refillAddress(origin: string, token: string): string {
  return `${origin}/refill#${token}`
}

/** Null when the fragment of an address (`#rf-…`) holds no token. */
export function tokenFromFragment(fragment: string): string | null {
  const token = fragment.replace(/^#/, '')
  return TOKEN_PATTERN.test(token) ? token : null
}
