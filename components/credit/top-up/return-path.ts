/** The top-up page with a way back to the chat, where the unsent question waits. */
export const TOP_UP_AND_RETURN = '/top-up?return=/'

/** The same, for a link that names a dollar as the amount. */
export const TOP_UP_A_DOLLAR = `${TOP_UP_AND_RETURN}&amount=1`

/** A path of this site. No second slash or backslash, which browsers would read as another host. */
const SITE_PATH = /^\/(?:[a-z0-9-]+(?:\/[a-z0-9-]+)*)?$/i

/** The page to return to after paying: the chat, unless it is a path of ours. */
export function returnPath(wanted: string | string[] | undefined): string {
  return typeof wanted === 'string' && SITE_PATH.test(wanted) ? wanted : '/'
}
