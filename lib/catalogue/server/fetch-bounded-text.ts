import 'server-only'
import { readBoundedText } from '@/lib/http/fetch-json'

/**
 * Fetches a small document of an upstream, limited in time (including the body) and in bytes. Redirects are refused, so
 * that it never comes from anywhere else.
 *
 * @throws if the upstream cannot be reached in time, redirects, or sends too much
 */
export async function fetchBoundedText(input: {
  url: string
  /** Sent as a bearer token. */
  apiKey: string | null
  headers?: Readonly<Record<string, string>>
  timeoutMs: number
  bytesMax: number
  signal?: AbortSignal
}): Promise<{ status: number; text: string }> {
  const response = await fetch(input.url, {
    headers: {
      accept: 'application/json',
      ...(input.apiKey === null ? {} : { authorization: `Bearer ${input.apiKey}` }),
      ...input.headers,
    },
    redirect: 'error',
    cache: 'no-store',
    signal: AbortSignal.any([AbortSignal.timeout(input.timeoutMs), ...(input.signal ? [input.signal] : [])]),
  })
  return { status: response.status, text: await readBoundedText(response, input.bytesMax) }
}
