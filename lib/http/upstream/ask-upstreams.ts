import 'server-only'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import { UpstreamFailure } from './upstream-failure'

/**
 * Asks one upstream after the other until one begins to answer. A failure that blames the request would be
 * the same everywhere. @throws UpstreamFailure of the last one, or of the first that blames the request
 */
export async function askUpstreams<Answer>(
  upstreams: readonly UpstreamSettings[],
  ask: (upstream: UpstreamSettings) => Promise<Answer>,
): Promise<Answer> {
  let failure: UpstreamFailure | null = null
  for (const upstream of upstreams) {
    try {
      return await ask(upstream)
    } catch (error) {
      if (!(error instanceof UpstreamFailure) || error.kind === 'client_fault') throw error
      failure = error
    }
  }
  throw failure ?? new UpstreamFailure('refused', 'No upstream has this model at the moment.')
}
