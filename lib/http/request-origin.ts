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
  const host = headers.get('x-forwarded-host') ?? headers.get('host') ?? ''
  const isHttps = headers.get('x-forwarded-proto')?.split(',')[0]?.trim() === 'https'
  const address = `${isHttps ? 'https' : 'http'}://${host}`
  return new URL(HOST.test(host) && URL.canParse(address) ? address : url).origin
}
