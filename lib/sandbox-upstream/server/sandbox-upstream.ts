import 'server-only'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import { sandboxUpstreamToken } from './sandbox-upstream-token'

/** The practice models as an upstream like any other: reached over HTTP, on the port of this app. */
export function sandboxUpstream(port: number): UpstreamSettings {
  return {
    id: 'sandbox',
    baseUrl: `http://127.0.0.1:${port}/sandbox/upstream/v1`,
    apiKey: sandboxUpstreamToken(),
    setBy: 'the embedded default',
  }
}
