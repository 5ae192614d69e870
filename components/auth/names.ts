import type { useTranslations } from 'next-intl'
import type { AuthFactor } from '@/lib/auth/domain/auth-user'

/** The name that the person gave it, or else its type. */
export function factorName(factor: AuthFactor, t: ReturnType<typeof useTranslations<'auth'>>): string {
  return factor.friendlyName ?? t(`factors.${factor.factorType}`)
}

/** The providers' own spelling, which is the same in every language. */
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

/** The name of a way to sign in: email and phone in the page's language, others by their provider. */
export function wayName(provider: string, t: ReturnType<typeof useTranslations<'auth'>>): string {
  if (provider === 'email') return t('email')
  return provider === 'phone' ? t('factors.phone') : providerName(provider)
}

export function providerName(provider: string): string {
  return Object.hasOwn(PROVIDER_NAMES, provider) ? (PROVIDER_NAMES[provider] ?? provider) : provider
}
