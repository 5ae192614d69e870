/** Long enough for any of our pages with its query; longer paths are not worth returning to. */
const RETURN_PATH_LENGTH_MAX = 512

/** Honest links are never encoded more often. */
const DECODING_ROUNDS_MAX = 3

/** Only used to resolve paths; a result with another origin leads off the site. */
const BASE = 'https://return.invalid'

/**
 * One slash, not two, then only characters that all browsers read alike. Excludes backslashes, which are read as
 * slashes, and control characters and spaces, which are dropped from URLs.
 */
const PLAIN_PATH = /^\/(?!\/)[\w!#$%&'()*+,./:;=?@~[\]-]*$/

/**
 * Where to go after signing in: the given path if it is certain to stay on this site, otherwise `fallback`. The sign-in
 * routes themselves are excluded, because they would cause a loop.
 */
export function safeReturnPath(candidate: unknown, fallback: string): string {
  if (typeof candidate !== 'string' || candidate.length > RETURN_PATH_LENGTH_MAX) return fallback
  if (!isPlain(candidate)) return fallback
  const url = new URL(candidate, BASE)
  const path = `${url.pathname}${url.search}${url.hash}`
  return url.origin === BASE && isPlain(path) && !url.pathname.startsWith('/auth/') ? path : fallback
}

/** Checked for the given path and for the resolved one: a step upwards can move an encoded slash to the front. */
function isPlain(path: string): boolean {
  return PLAIN_PATH.test(path) && PLAIN_PATH.test(decodePath(path))
}

/** Decodes the path as often as a chain of proxies might; empty if an escape is malformed. */
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
