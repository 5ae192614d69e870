import 'server-only'

const HOST = /^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i

/**
 * Where the visitor found this site, as far as the request tells: over Node's own server its address says
 * nothing of the host. Forwarding headers come from a proxy that is trusted; a visitor's own are taken out.
 */
export function requestOrigin({ url, headers }: Request): string {
  const host = headers.get('x-forwarded-host') ?? headers.get('host') ?? ''
  const isHttps = headers.get('x-forwarded-proto')?.split(',')[0]?.trim() === 'https'
  const address = `${isHttps ? 'https' : 'http'}://${host}`
  return new URL(HOST.test(host) && URL.canParse(address) ? address : url).origin
}
