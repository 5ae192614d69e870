'use client'

import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { RequestProblem } from '@/components/account/request-problem'
import { moveCredit } from '@/components/credit/move-credit'
import { Button } from '@/components/ui/button'
import styles from './auth.module.css'

interface MoveBothProps {
  ownCreditId: string
  linkedCreditId: string
  onMoved: (movedUsd: number) => void
}

/** Makes one credit of two: the linked one takes the balance of this browser's, and its place here. */
export function MoveBoth({ ownCreditId, linkedCreditId, onMoved }: MoveBothProps) {
  const t = useTranslations('auth.credit')
  const [moving, setMoving] = useState(false)
  const [errorCode, setErrorCode] = useState<string | null>(null)

  const move = async () => {
    setMoving(true)
    setErrorCode(null)
    const result = await moveCredit(ownCreditId, linkedCreditId)
    setMoving(false)
    if (result.outcome === 'moved') onMoved(result.movedUsd)
    else setErrorCode(result.errorCode)
  }

  return (
    <div className={styles.stack}>
      <p className={styles.hint}>{t('moveHint')}</p>
      <div className={styles.row}>
        <Button loading={moving} onClick={() => void move()}>
          {t('move')}
        </Button>
      </div>
      <RequestProblem errorCode={errorCode} />
    </div>
  )
}
