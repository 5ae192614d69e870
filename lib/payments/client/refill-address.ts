import { REFILL_TOKEN_PATTERN } from '../domain/refill-link-form'

/**
 * The address to hand out. The token is in the fragment, which browsers do not send to servers, so that it appears in
 * no log and no Referer.
 */
export function refillAddress(origin: string, token: string): string {
  return `${origin}/refill#${token}`
}

/** Null if the fragment of an address (`#rf-…`) contains no token. */
export function tokenFromFragment(fragment: string): string | null {
  const token = fragment.replace(/^#/, '')
  return REFILL_TOKEN_PATTERN.test(token) ? token : null
}
