import 'server-only'
import { createHash } from 'node:crypto'
import { DirectResponse } from './direct-response'

/** Cached prices may be a minute old; a hold is always made with the current ones. */
const CACHE_CONTROL = 'public, max-age=60, stale-while-revalidate=300'

/** A public answer, serialised once for all requests. */
export interface JsonText {
  bytes: Uint8Array
  etag: string
}

export function jsonText(body: unknown): JsonText {
  const bytes = Buffer.from(JSON.stringify(body))
  return { bytes, etag: etagOf(bytes) }
}

export function etagOf(content: Uint8Array | string): string {
  return `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`
}

/**
 * A public list with an ETag.
 * @param vary the request headers that the answer depends on
 */
export function cachedJson(
  { bytes, etag }: JsonText,
  request: Request,
  vary: readonly string[] = [],
): Response {
  const headers = { 'cache-control': CACHE_CONTROL, etag, vary: ['accept-encoding', ...vary].join(', ') }
  const known = request.headers.get('if-none-match')?.split(',') ?? []
  // A cache in between may have weakened the tag when it compressed the answer.
  if (known.some(tag => tag.trim().replace(/^W\//, '') === etag))
    return new Response(null, { status: 304, headers })
  return new DirectResponse(bytes, {
    status: 200,
    headers: { ...headers, 'content-type': 'application/json' },
  })
}
