'use client'

import { useTranslations } from 'next-intl'
import { AccountSection } from '@/components/account/account-section'
import { RestoreForm } from './restore-form'

export function RestoreSection() {
  const t = useTranslations('carry')
  return (
    <AccountSection id="restore" title={t('restoreTitle')} lead={t('restoreLead')}>
      <RestoreForm />
    </AccountSection>
  )
}
