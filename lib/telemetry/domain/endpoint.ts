/** An address of the API is short; a longer one is no address of ours. */
const SEGMENT_COUNT_MAX = 8
const WORD = /^[a-z][a-z-]{0,31}$/
/** A conversation's id may be a plain word. */
const CONVERSATION = /^((?:\/[a-z]{2})?\/c)\/[^/]+/
const VERSION = /^v\d$/

/**
 * The shape of an address, to group reports by: `/keys/0b0e7c9e-…` is `/keys/{id}`. A segment stands only
 * when it is a plain lower-case word; whatever else a path holds, a secret included, becomes `{id}`.
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
