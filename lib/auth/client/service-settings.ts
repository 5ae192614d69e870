import type { Provider } from '@supabase/supabase-js'
import type { PublicAuthSettings } from '@/lib/auth/domain/public-auth-settings'
import { watchedFetch } from '@/lib/http/client/watched-fetch'
import { type AuthResult, authResult, ServiceUnreachableError } from './auth-result'

/** The ways of signing in that the auth service offers. */
export interface WaysIn {
  email: boolean
  passkey: boolean
  providers: Provider[]
}

const TIMEOUT_MS = 10_000

/** The providers that there are buttons for, in this order, as they spell themselves in every language. */
const PROVIDERS: readonly (readonly [Provider, string])[] = [
  ['google', 'Google'],
  ['apple', 'Apple'],
  ['github', 'GitHub'],
  ['gitlab', 'GitLab'],
  ['bitbucket', 'Bitbucket'],
  ['azure', 'Microsoft'],
  ['discord', 'Discord'],
  ['twitter', 'X'],
  ['facebook', 'Facebook'],
  ['linkedin_oidc', 'LinkedIn'],
  ['slack_oidc', 'Slack'],
  ['spotify', 'Spotify'],
  ['twitch', 'Twitch'],
  ['notion', 'Notion'],
  ['figma', 'Figma'],
  ['kakao', 'Kakao'],
  ['keycloak', 'Keycloak'],
  ['workos', 'WorkOS'],
  ['zoom', 'Zoom'],
  ['fly', 'Fly.io'],
]

/** Asks the service itself, so that an operator enables a provider in one place only. */
export async function loadWaysIn(
  settings: PublicAuthSettings,
  fetchFrom: (address: string, init?: RequestInit) => Promise<Response> = watchedFetch,
): Promise<AuthResult<WaysIn>> {
  return authResult(
    fetchFrom(`${settings.url}/auth/v1/settings`, {
      headers: { apikey: settings.publicKey },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
      .then(async response => ({ data: readWaysIn(response.ok ? await response.json() : null), error: null }))
      .catch(() => ({ data: null, error: new ServiceUnreachableError('The auth service does not answer.') })),
  )
}

/** @throws ServiceUnreachableError if it is not such a document */
function readWaysIn(body: unknown): WaysIn {
  if (typeof body !== 'object' || body === null || !('external' in body)) {
    throw new ServiceUnreachableError('The auth service answered something else.')
  }
  const settings = { passkeys_enabled: false, ...body }
  const external = Object(settings.external)
  return {
    email: external.email === true,
    passkey: settings.passkeys_enabled === true,
    providers: PROVIDERS.flatMap(([provider]) => (external[provider] === true ? [provider] : [])),
  }
}

export function providerName(provider: string): string {
  return PROVIDERS.find(([known]) => known === provider)?.[1] ?? provider
}
