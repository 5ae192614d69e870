'use client'

import { useTranslations } from 'next-intl'
import { CreditSection } from '@/components/account/credit-section'
import { AwaitedRefillLink, RefillLinkPanel } from './refill-link-panel'

/** A link through which others can pay into this credit. */
export function RefillSection() {
  const t = useTranslations('refill')
  return (
    <CreditSection id="refill" title={t('title')} lead={t('lead')}>
      {creditId =>
        creditId ? <RefillLinkPanel key={creditId} creditId={creditId} /> : <AwaitedRefillLink />
      }
    </CreditSection>
  )
}
