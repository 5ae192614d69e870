import 'server-only'

const HOST = /^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i

/** The site's address: the operator's own word, or else the one under which the visitor reached it. */
export function siteUrlFor({ siteUrl }: { siteUrl: string | null }, request: Request): string {
  return siteUrl ?? requestOrigin(request)
}

/**
 * The origin under which the visitor reached this site. On Node's own server, `request.url` does not have the host.
 * Forwarding headers come from a trusted proxy; a visitor's own are removed before.
 */
function requestOrigin({ url, headers }: Request): string {
  const host = forwarded(headers, 'host') ?? headers.get('host') ?? ''
  const address = `${forwarded(headers, 'proto') === 'https' ? 'https' : 'http'}://${host}`
  return new URL(HOST.test(host) && URL.canParse(address) ? address : url).origin
}

/** What the outermost proxy saw of the visitor's request: each one further in may append what it saw itself. */
export function forwarded(headers: Headers, what: 'host' | 'proto'): string | null {
  return headers.get(`x-forwarded-${what}`)?.split(',')[0]?.trim() ?? null
}
