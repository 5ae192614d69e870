/** The top-up leads back here, where the unsent question waits. */
export const TOP_UP_AND_RETURN = '/top-up?return=/'

/** A path of this site: no second slash or backslash, which browsers read as another host. */
const SITE_PATH = /^\/(?:[a-z0-9-]+(?:\/[a-z0-9-]+)*)?$/i

/** Where a person came from and goes back to once paid; the chat for anything that is no page of ours. */
export function returnPath(wanted: string | string[] | undefined): string {
  return typeof wanted === 'string' && SITE_PATH.test(wanted) ? wanted : '/'
}
