'use client'

import { useTranslations } from 'next-intl'
import { CreditSection } from '@/components/account/credit-section'
import { Skeleton } from '@/components/ui/skeleton'
import styles from './refill.module.css'
import { RefillLinkPanel } from './refill-link-panel'

/** A link through which others can pay into this credit. */
export function RefillSection() {
  const t = useTranslations('refill')
  return (
    <CreditSection id="refill" title={t('title')} lead={t('lead')}>
      {creditId => (
        <div className={styles.panel}>
          {creditId ? <RefillLinkPanel key={creditId} creditId={creditId} /> : <Skeleton length="medium" />}
        </div>
      )}
    </CreditSection>
  )
}
