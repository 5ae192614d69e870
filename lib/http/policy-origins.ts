import type { ServerSettings } from '@/lib/config/settings'
import type { PolicyOrigins } from './security-headers'

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
