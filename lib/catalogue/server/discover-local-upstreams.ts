import 'server-only'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import { fetchUpstreamModels } from './fetch-upstream-models'

/** A program on the same machine answers at once; a page must not wait for one that is not there. */
const PROBE_TIMEOUT_MS = 300

/** Those of the candidates that answer with a list of models right now. */
export async function discoverLocalUpstreams(
  candidates: readonly UpstreamSettings[],
  timeoutMs: number = PROBE_TIMEOUT_MS,
): Promise<UpstreamSettings[]> {
  const probes = await Promise.all(
    candidates.map(async upstream => ({ upstream, fetched: await fetchUpstreamModels(upstream, timeoutMs) })),
  )
  return probes.flatMap(({ upstream, fetched }) => (fetched.outcome === 'listed' ? [upstream] : []))
}
