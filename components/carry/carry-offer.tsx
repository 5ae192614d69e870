'use client'

import { useTranslations } from 'next-intl'
import { useEffect, useState } from 'react'
import { useCreditId } from '@/components/credit/use-credit-id'
import { Button } from '@/components/ui/button'
import { focusAfterRender } from '@/components/ui/focus'
import layout from '@/components/ui/layout.module.css'
import text from '@/components/ui/text.module.css'
import { guardedStorage } from '@/lib/local/storage/guarded-storage'
import { CARRY_OFFERED_KEY } from '@/lib/local/storage/storage-keys'
import { isKept } from '@/lib/local/storage/write-failures'
import styles from './carry-offer.module.css'
import { CreditBackup } from './credit-backup'

/** Offers a backup of the credit, once per browser. Rendered where money has just arrived. */
export function CarryOffer() {
  const t = useTranslations('carry')
  const common = useTranslations('common')
  const creditId = useCreditId()
  const [state, setState] = useState<'absent' | 'offered' | 'shown'>('absent')

  useEffect(() => {
    if (guardedStorage.read(CARRY_OFFERED_KEY) !== null) return
    // Where the browser refuses it, the offer is made again.
    isKept(() => guardedStorage.write(CARRY_OFFERED_KEY, '1'))
    setState('offered')
    void persistStorage()
  }, [])

  if (!creditId || state === 'absent') return null
  const show = () => {
    setState('shown')
    focusAfterRender('#carry-offer')
  }
  const close = () => {
    setState('absent')
    // The heading of the payment above.
    focusAfterRender('dialog[open] h2', 'main h2')
  }
  return (
    <section aria-label={t('offerTitle')} className={styles.offer}>
      <h2 id="carry-offer" tabIndex={-1} className={styles.title}>
        {t('offerTitle')}
      </h2>
      <p className={text.mutedText}>{t('offerText')}</p>
      {state === 'shown' && <CreditBackup creditId={creditId} />}
      <div className={layout.row}>
        {state === 'offered' && (
          <Button variant="quiet" onClick={show}>
            {t('show')}
          </Button>
        )}
        <Button variant="quiet" onClick={close}>
          {state === 'offered' ? t('later') : common('done')}
        </Button>
      </div>
    </section>
  )
}

/** Asks the browser not to clear our storage when disk space runs short, since the credit's secret is in it. */
async function persistStorage(): Promise<void> {
  try {
    await navigator.storage?.persist?.()
  } catch {
    // Private windows throw; the credit works all the same.
  }
}
