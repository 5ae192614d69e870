import type { useTranslations } from 'next-intl'
import { providerName } from '@/lib/auth/client/service-settings'
import type { AuthFactor } from '@/lib/auth/domain/auth-user'

/** The name that the person gave it, or else its type. */
export function factorName(factor: AuthFactor, t: ReturnType<typeof useTranslations<'auth'>>): string {
  return factor.friendlyName ?? t(`factors.${factor.factorType}`)
}

/** The name of a way to sign in: email and phone in the page's language, others by their provider. */
export function wayName(provider: string, t: ReturnType<typeof useTranslations<'auth'>>): string {
  if (provider === 'email') return t('email')
  return provider === 'phone' ? t('factors.phone') : providerName(provider)
}
