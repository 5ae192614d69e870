import 'server-only'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import { UpstreamFailure } from '@/lib/upstream/ask-upstreams'

/** ElevenLabs' key travels in a header of its own. */
export function elevenLabsKey(upstream: UpstreamSettings, headers: Readonly<Record<string, string>>) {
  return {
    upstream: { ...upstream, apiKey: null },
    headers: { ...headers, 'xi-api-key': upstream.apiKey ?? '' },
  }
}

/** What it does not find is a fault of the request; its other complaints are judged like any upstream's. */
export function elevenLabsRefusal(
  failure: UpstreamFailure,
  notFound: string,
  param: string,
): UpstreamFailure {
  if (failure.detail.status !== 404) return failure
  return new UpstreamFailure('client_fault', notFound, { status: 400, param })
}
