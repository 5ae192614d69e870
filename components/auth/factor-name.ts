import type { useTranslations } from 'next-intl'
import type { AuthFactor } from '@/lib/auth/domain/auth-user'

/** What the person called it, or else what it is. */
export function factorName(factor: AuthFactor, t: ReturnType<typeof useTranslations<'auth'>>): string {
  return factor.friendlyName ?? t(`factors.${factor.factorType}`)
}
