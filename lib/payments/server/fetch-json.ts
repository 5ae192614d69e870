import 'server-only'
import { GatewayError } from '../domain/gateway'

/** An invoice with many payments stays far below; more is not what was asked for. */
const RESPONSE_BYTES_MAX = 1024 * 1024

export interface JsonRequest {
  url: string
  method?: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: unknown
  timeoutMs: number
  responseBytesMax?: number
}

/**
 * Asks a counterparty. Redirects are refused: they would carry its credential elsewhere. The error says
 * neither address nor body, which may hold secrets.
 * @throws GatewayError when there is no answer in time, or none in JSON
 */
export async function fetchJson(request: JsonRequest): Promise<{ status: number; body: unknown }> {
  try {
    const response = await fetch(request.url, {
      method: request.method ?? 'GET',
      headers: {
        accept: 'application/json',
        ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...request.headers,
      },
      body: request.body === undefined ? undefined : JSON.stringify(request.body),
      redirect: 'error',
      cache: 'no-store',
      signal: AbortSignal.timeout(request.timeoutMs),
    })
    const text = await readBounded(response, request.responseBytesMax ?? RESPONSE_BYTES_MAX)
    // A refusal may come from a proxy in front, in HTML; its status says enough.
    return { status: response.status, body: response.ok ? JSON.parse(text) : null }
  } catch (error) {
    const reason = error instanceof Error ? error.name : 'unknown'
    throw new GatewayError(`A counterparty gave no usable answer (${reason}).`)
  }
}

async function readBounded(response: Response, bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let byteCount = 0
  for await (const chunk of response.body ?? []) {
    byteCount += chunk.byteLength
    if (byteCount > bytesMax) throw new RangeError('The answer is too long.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
