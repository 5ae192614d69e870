import type { useTranslations } from 'next-intl'
import type { AuthFactor } from '@/lib/auth/domain/auth-user'

/** What the person called it, or else what it is. */
export function factorName(factor: AuthFactor, t: ReturnType<typeof useTranslations<'auth'>>): string {
  return factor.friendlyName ?? t(`factors.${factor.factorType}`)
}

/** Names as the providers write them; the same in every language. */
const PROVIDER_NAMES: Record<string, string> = {
  apple: 'Apple',
  azure: 'Microsoft',
  bitbucket: 'Bitbucket',
  discord: 'Discord',
  facebook: 'Facebook',
  figma: 'Figma',
  fly: 'Fly.io',
  github: 'GitHub',
  gitlab: 'GitLab',
  google: 'Google',
  kakao: 'Kakao',
  keycloak: 'Keycloak',
  linkedin_oidc: 'LinkedIn',
  notion: 'Notion',
  slack_oidc: 'Slack',
  spotify: 'Spotify',
  twitch: 'Twitch',
  twitter: 'X',
  workos: 'WorkOS',
  zoom: 'Zoom',
}

/** A way in that is nobody's service goes by the page's own words. */
export function wayName(provider: string, t: ReturnType<typeof useTranslations<'auth'>>): string {
  if (provider === 'email') return t('email')
  return provider === 'phone' ? t('factors.phone') : providerName(provider)
}

export function providerName(provider: string): string {
  return Object.hasOwn(PROVIDER_NAMES, provider) ? (PROVIDER_NAMES[provider] ?? provider) : provider
}
