'use client'

import { useTranslations } from 'next-intl'
import { RequestProblem } from '@/components/account/request-problem'
import { useRequest } from '@/components/account/use-request'
import { moveCredit } from '@/components/credit/move-credit'
import { Button } from '@/components/ui/button'
import text from '@/components/ui/text.module.css'
import styles from './auth.module.css'

interface MoveBothProps {
  ownCreditId: string
  linkedCreditId: string
  onMoved: (movedUsd: number) => void
}

/** Makes one credit of two: the linked one takes the balance of this browser's, and its place here. */
export function MoveBoth({ ownCreditId, linkedCreditId, onMoved }: MoveBothProps) {
  const t = useTranslations('auth.credit')
  const { busy, errorCode, run } = useRequest()
  const move = () => run(async () => onMoved(await moveCredit(ownCreditId, linkedCreditId)))

  return (
    <div className={styles.stack}>
      <p className={text.hint}>{t('moveHint')}</p>
      <div className={styles.row}>
        <Button loading={busy} onClick={() => void move()}>
          {t('move')}
        </Button>
      </div>
      <RequestProblem errorCode={errorCode} />
    </div>
  )
}
