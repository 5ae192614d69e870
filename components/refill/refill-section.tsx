'use client'

import { useTranslations } from 'next-intl'
import { AccountSection } from '@/components/account/account-section'
import { useCreditId } from '@/components/credit/use-credit-id'
import { RefillLinkPanel } from './refill-link-panel'

/** A link through which others can pay into this credit. Absent without a credit. */
export function RefillSection() {
  const t = useTranslations('refill')
  const creditId = useCreditId()
  if (!creditId) return null
  return (
    <AccountSection id="refill" title={t('title')} lead={t('lead')}>
      <RefillLinkPanel key={creditId} creditId={creditId} />
    </AccountSection>
  )
}
