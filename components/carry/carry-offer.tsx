'use client'

import { useTranslations } from 'next-intl'
import { useEffect, useState } from 'react'
import { useCreditId } from '@/components/credit/use-credit-id'
import { Button } from '@/components/ui/button'
import layout from '@/components/ui/layout.module.css'
import text from '@/components/ui/text.module.css'
import styles from './carry-offer.module.css'
import { CreditBackup } from './credit-backup'
import { rememberCarryOffer, wasCarryOffered } from './offer-memory'
import { persistStorage } from './persist-storage'

/** Offers a copy of the credit, once in a browser. Put it where money has just arrived. */
export function CarryOffer() {
  const t = useTranslations('carry')
  const creditId = useCreditId()
  const [state, setState] = useState<'absent' | 'offered' | 'shown'>('absent')

  useEffect(() => {
    if (wasCarryOffered()) return
    rememberCarryOffer()
    setState('offered')
    void persistStorage()
  }, [])

  if (!creditId || state === 'absent') return null
  return (
    <section aria-label={t('offerTitle')} className={styles.offer}>
      <h2 className={styles.title}>{t('offerTitle')}</h2>
      <p className={text.mutedText}>{t('offerText')}</p>
      {state === 'shown' && <CreditBackup creditId={creditId} />}
      <div className={layout.row}>
        {state === 'offered' && <Button onClick={() => setState('shown')}>{t('show')}</Button>}
        <Button variant="quiet" onClick={() => setState('absent')}>
          {state === 'offered' ? t('later') : t('done')}
        </Button>
      </div>
    </section>
  )
}
