'use client'

import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { AccountSection } from '@/components/account/account-section'
import { CreditSection } from '@/components/account/credit-section'
import { Button } from '@/components/ui/button'
import { CreditBackup } from './credit-backup'
import { RestoreForm } from './restore-form'

/** Copies the credit to another device or onto paper. Hidden until asked for: whoever sees it can spend it. */
export function CarrySection() {
  const t = useTranslations('carry')
  const common = useTranslations('common')
  const [shown, setShown] = useState(false)
  return (
    <CreditSection id="carry" title={t('title')} lead={t('lead')}>
      {creditId => (
        <>
          <div>
            <Button variant="quiet" aria-expanded={shown} onClick={() => setShown(!shown)}>
              {shown ? common('hide') : t('show')}
            </Button>
          </div>
          {shown && creditId && <CreditBackup creditId={creditId} />}
        </>
      )}
    </CreditSection>
  )
}

export function RestoreSection() {
  const t = useTranslations('carry')
  return (
    <AccountSection id="restore" title={t('restoreTitle')} lead={t('restoreLead')}>
      <RestoreForm />
    </AccountSection>
  )
}
