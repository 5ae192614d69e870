/** The API's addresses are short; a longer one is not ours. */
const SEGMENT_COUNT_MAX = 8
const WORD = /^[a-z][a-z-]{0,31}$/
/** A conversation's id may be a plain word. */
const CONVERSATION = /^((?:\/[a-z]{2})?\/c)\/[^/]+/
const VERSION = /^v\d$/

/**
 * The shape of an address, for grouping reports: `/keys/0b0e7c9e-…` becomes `/keys/{id}`. Only plain lower-case words
 * are kept as segments; anything else in a path, including a secret, becomes `{id}`.
 */
export function endpointOf(path: string): string {
  const pathname = /^(?:[a-z][a-z0-9+.-]*:\/\/[^/?#]*)?([^?#]*)/i.exec(path)?.[1] ?? ''
  const segments = pathname
    .replace(CONVERSATION, '$1/{id}')
    .split('/')
    .filter(segment => segment !== '')
  const shape = segments.slice(0, SEGMENT_COUNT_MAX).map(segment => {
    return WORD.test(segment) || VERSION.test(segment) ? segment : '{id}'
  })
  return `/${shape.join('/')}`
}
