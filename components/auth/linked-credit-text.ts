import type { useTranslations } from 'next-intl'
import type { LinkedCredit } from '@/lib/auth/client/linked-credit'

/** How the account's credit and this browser's relate. */
export function linkedCreditText(
  linked: LinkedCredit,
  ownCreditId: string | null,
  t: ReturnType<typeof useTranslations<'auth.credit'>>,
): string {
  if (linked.state === 'unreadable') return t('unreadable')
  if (linked.creditId === null) return ownCreditId === null ? `${t('none')} ${t('noneHere')}` : t('none')
  if (ownCreditId === null) return t('otherOnly')
  return linked.creditId === ownCreditId ? t('here') : t('other')
}
