import 'server-only'
import { randomBytes } from 'node:crypto'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import { SANDBOX_UPSTREAM_PATH } from '@/lib/http/api-segments'
import { processWide } from '@/lib/observability/process-wide'

/** The practice models as an upstream like any other, reached over HTTP on this app's port. */
export function sandboxUpstream(port: number): UpstreamSettings {
  return {
    id: 'sandbox',
    baseUrl: `http://127.0.0.1:${port}${SANDBOX_UPSTREAM_PATH}/v1`,
    apiKey: sandboxUpstreamToken(),
    setBy: 'the embedded default',
  }
}

/** A key that only this process sends and accepts, so that visitors cannot call the sandbox upstream unmetered. */
export function sandboxUpstreamToken(): string {
  return processWide('sandbox-upstream-token', () => randomBytes(32).toString('base64url'))
}
