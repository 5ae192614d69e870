import 'server-only'

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
  /** Null unless the status says that all is well. */
  body: unknown
  /** What a refusal says; null where that is no JSON, as from a proxy in front. */
  refusal: unknown
}

/**
 * Asks a counterparty. A redirect is an answer like any other refusal: followed, it would carry the credential
 * elsewhere.
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
    : { status, body: null, refusal: parseRefusal(text) }
}

/**
 * The body of somebody's answer, read no further than the bound.
 * @throws RangeError when there is more, and whatever breaks the connection
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

function parseRefusal(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
