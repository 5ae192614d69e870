/** The top-up leads back here, where the unsent question waits. */
export const TOP_UP_AND_RETURN = '/top-up?return=/'

/** The same, with the amount that such a link promises. */
export const TOP_UP_A_DOLLAR = `${TOP_UP_AND_RETURN}&amount=1`

/** A path of this site: no second slash or backslash, which browsers read as another host. */
const SITE_PATH = /^\/(?:[a-z0-9-]+(?:\/[a-z0-9-]+)*)?$/i

/** Where a person came from and goes back to once paid; the chat for anything that is no page of ours. */
export function returnPath(wanted: string | string[] | undefined): string {
  return typeof wanted === 'string' && SITE_PATH.test(wanted) ? wanted : '/'
}
