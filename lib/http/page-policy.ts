import 'server-only'
import type { NextRequest, NextResponse } from 'next/server'
import { isDevelopment } from '@/lib/config/mode'
import { serverSettings } from '@/lib/config/server-settings'
import type { ServerSettings } from '@/lib/config/settings'
import {
  contentSecurityPolicy,
  POLICY_REQUEST_HEADERS,
  type PolicyOrigins,
  STRICT_TRANSPORT_SECURITY,
} from './security-headers'

const NONCE_BYTES = 16

/**
 * Puts a fresh nonce and its policy on the request, where Next reads them, after removing any that the visitor sent.
 * `applyTo` repeats the policy on the response.
 */
export function applyPagePolicy(request: NextRequest): { applyTo: (response: NextResponse) => void } {
  const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(NONCE_BYTES))).toString('base64')
  const settings = serverSettings()
  const secure = request.nextUrl.protocol === 'https:' || (settings.siteUrl?.startsWith('https:') ?? false)
  const policy = contentSecurityPolicy({
    nonce,
    secure,
    development: isDevelopment(),
    origins: policyOrigins(settings),
  })
  for (const name of POLICY_REQUEST_HEADERS) request.headers.delete(name)
  request.headers.set('x-nonce', nonce)
  request.headers.set('content-security-policy', policy)
  return {
    applyTo(response) {
      response.headers.set('content-security-policy', policy)
      // A page with a nonce must not be served twice, and may show a balance.
      response.headers.set('cache-control', 'no-store')
      // Browsers profile only with this header; error reporting profiles a share of its traces.
      if (settings.sentryDsn) response.headers.set('document-policy', 'js-profiling')
      if (secure) response.headers.set('strict-transport-security', STRICT_TRANSPORT_SECURITY)
    },
  }
}

/**
 * The origins that an operator's settings add to the policy; none by default. Analytics adds none where
 * page views go through this server, and never one for scripts.
 */
export function policyOrigins(
  settings: Pick<ServerSettings, 'supportWidget' | 'supabase' | 'sentryDsn' | 'analyticsFrameUrl'>,
): PolicyOrigins {
  return {
    frame: [
      ...(settings.supportWidget ? [originOf(settings.supportWidget.SUPPORT_WIDGET_URL)] : []),
      ...(settings.supabase?.captchaFrameUrl ? [originOf(settings.supabase.captchaFrameUrl)] : []),
      ...(settings.analyticsFrameUrl ? [originOf(settings.analyticsFrameUrl)] : []),
    ],
    connect: [
      ...(settings.supabase ? [originOf(settings.supabase.url)] : []),
      ...(settings.supabase?.googleClientId ? [GOOGLE_ACCOUNTS_ORIGIN] : []),
      ...(settings.sentryDsn ? [originOf(settings.sentryDsn)] : []),
    ],
  }
}

/** Asked by the browser itself for its sign-in dialog (FedCM), which the policy covers all the same. */
const GOOGLE_ACCOUNTS_ORIGIN = 'https://accounts.google.com'

/** Without path, query and user: a Sentry DSN carries its key as the user. */
function originOf(address: string): string {
  return new URL(address).origin
}
