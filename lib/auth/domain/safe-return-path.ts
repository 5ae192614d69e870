/** Long enough for any page of ours with its query; longer ones are not worth returning to. */
const RETURN_PATH_LENGTH_MAX = 512

/** Deeper encodings never come from an honest link. */
const DECODING_ROUNDS_MAX = 3

/** Only there to resolve paths against; a result with any other origin leaves the site. */
const BASE = 'https://return.invalid'

/**
 * One slash, not two, then characters that every browser reads alike. Backslashes (read as slashes)
 * are not among them, nor are control characters and spaces (dropped from URLs).
 */
const PLAIN_PATH = /^\/(?!\/)[\w!#$%&'()*+,./:;=?@~[\]-]*$/

/**
 * Where to go after signing in: the given path when it certainly stays on this site, `fallback`
 * otherwise. Routes of the sign-in itself are not returned to, which would loop.
 */
export function safeReturnPath(candidate: unknown, fallback = '/'): string {
  if (typeof candidate !== 'string' || candidate.length > RETURN_PATH_LENGTH_MAX) return fallback
  if (!isPlain(candidate)) return fallback
  const url = new URL(candidate, BASE)
  const path = `${url.pathname}${url.search}${url.hash}`
  return url.origin === BASE && isPlain(path) && !url.pathname.startsWith('/auth/') ? path : fallback
}

/** Asked of what is given and of what it comes to: a step upwards can leave an encoded slash behind the first. */
function isPlain(path: string): boolean {
  return PLAIN_PATH.test(path) && PLAIN_PATH.test(decodePath(path))
}

/** The path decoded as often as a chain of proxies might; empty when an escape is malformed. */
function decodePath(candidate: string): string {
  let path = candidate.split(/[?#]/, 1)[0] ?? ''
  for (let round = 0; round < DECODING_ROUNDS_MAX; round += 1) {
    try {
      path = decodeURIComponent(path)
    } catch {
      return ''
    }
  }
  return path
}
