'use client'

import { useLocale, useTranslations } from 'next-intl'
import { useEffect, useRef, useState } from 'react'
import { useBalance } from '@/components/credit/use-balance'
import { RequestProblem } from '@/components/request/request-problem'
import { useRequest } from '@/components/request/use-request'
import { Button } from '@/components/ui/button'
import { Checkbox } from '@/components/ui/checkbox'
import layout from '@/components/ui/layout.module.css'
import text from '@/components/ui/text.module.css'
import { useStore } from '@/components/ui/use-store'
import { isAnswering } from '@/lib/exchange/client/pending-exchanges'
import { creditReplacementStore, isFollowed } from '@/lib/local/credit-replacement'
import { formatMoney } from '@/lib/money/format-money'
import { CreditBackup } from './credit-backup'
import styles from './restore-form.module.css'

interface ReplaceCreditProps {
  heldCreditId: string
  foundBalanceUsd: number
  onReplace: () => void
  onKeep: () => void
  /** Moves the balance of the credit that is being replaced. @throws ApiCallError */
  onMove: () => Promise<void>
}

/** A browser holds one credit. Shows the one that would be replaced, so that its money is not lost with it. */
export function ReplaceCredit({
  heldCreditId,
  foundBalanceUsd,
  onReplace,
  onKeep,
  onMove,
}: ReplaceCreditProps) {
  const t = useTranslations('carry')
  const locale = useLocale()
  const { shown } = useBalance()
  const replacement = useStore(creditReplacementStore)
  const held = shown === null ? '–' : formatMoney(shown.amountUsd, locale)
  const { busy: moving, errorCode, run } = useRequest()
  const [copied, setCopied] = useState(false)
  const [isWarned, setWarned] = useState(false)
  const replace = () => {
    if (isWarned || !isAnswering(heldCreditId)) onReplace()
    else setWarned(true)
  }
  const titleRef = useRef<HTMLHeadingElement>(null)
  // It replaces the button that had the focus.
  useEffect(() => titleRef.current?.focus(), [])
  return (
    <div className={layout.stack}>
      <h3 ref={titleRef} tabIndex={-1} className={styles.title}>
        {t('replaceTitle')}
      </h3>
      <p className={text.text}>
        {t('replaceText', {
          found: formatMoney(foundBalanceUsd, locale),
          held,
        })}{' '}
        {/* It looks emptier than it is going to be. */}
        {isFollowed(replacement, heldCreditId) && t('replaceFollowed')}
      </p>
      {shown && shown.amountUsd > 0 && (
        <>
          <p className={text.text}>{t('moveText')}</p>
          <div className={styles.actions}>
            <Button loading={moving} onClick={() => void run(onMove)}>
              {t('move', { held })}
            </Button>
          </div>
        </>
      )}
      <RequestProblem errorCode={errorCode} />
      <p className={text.text}>{t('replaceCopy')}</p>
      <CreditBackup creditId={heldCreditId} />
      <Checkbox checked={copied} onChange={setCopied}>
        {t('replaceCopied')}
      </Checkbox>
      <p role="alert" className={text.problem}>
        {isWarned && t('replaceAnswering')}
      </p>
      <div className={styles.actions}>
        <Button variant="danger" disabled={!copied || moving} onClick={replace}>
          {t('replace')}
        </Button>
        <Button variant="quiet" disabled={moving} onClick={onKeep}>
          {t('keep')}
        </Button>
      </div>
    </div>
  )
}
