import 'server-only'
import { tryParseJson } from './domain/try-parse-json'

export interface JsonRequest {
  url: string
  method?: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: unknown
  timeoutMs: number
  responseBytesMax: number
}

export interface JsonAnswer {
  status: number
  /** Null unless the status is a success. */
  body: unknown
  /** The body of a failure; null if it is not JSON, as a proxy's may be. */
  refusal: unknown
}

/**
 * Fetches JSON from another service. Redirects are not followed, since that would carry the credential elsewhere: they
 * count as failures.
 * @throws whatever `fetch` or `JSON.parse` throws, a RangeError for an answer that is too long, a TimeoutError
 */
export async function fetchJson(request: JsonRequest): Promise<JsonAnswer> {
  const response = await fetch(request.url, {
    method: request.method ?? 'GET',
    headers: {
      accept: 'application/json',
      ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...request.headers,
    },
    body: request.body === undefined ? undefined : JSON.stringify(request.body),
    redirect: 'manual',
    cache: 'no-store',
    signal: AbortSignal.timeout(request.timeoutMs),
  })
  const text = await readBoundedText(response, request.responseBytesMax)
  const { status, ok } = response
  return ok
    ? { status, body: JSON.parse(text), refusal: null }
    : { status, body: null, refusal: tryParseJson(text) ?? null }
}

/**
 * Reads the body of an answer up to a bound.
 * @throws RangeError if there is more, and whatever breaks the connection
 */
export async function readBoundedText(response: Response, bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let byteCount = 0
  for await (const chunk of response.body ?? []) {
    byteCount += chunk.byteLength
    if (byteCount > bytesMax) throw new RangeError('The answer is too long.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
