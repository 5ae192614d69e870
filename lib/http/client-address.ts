import 'server-only'

/**
 * The address that rate limits count by. A self-hosted server writes `x-client-address` itself from
 * the socket (scripts/server.ts), overwriting what a visitor sent; Vercel overwrites `x-real-ip`.
 */
export function clientAddress(headers: Headers, onVercel: boolean): string {
  return headers.get(onVercel ? 'x-real-ip' : 'x-client-address') ?? 'unknown'
}
