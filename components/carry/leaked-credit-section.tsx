'use client'

import { useLocale, useTranslations } from 'next-intl'
import { useState } from 'react'
import { CreditSection } from '@/components/account/credit-section'
import {
  dropReplacement,
  finishReplacement,
  prepareReplacement,
  replaceCredit,
} from '@/components/credit/replace-leaked-credit'
import { useBalance } from '@/components/credit/use-balance'
import { RequestProblem } from '@/components/request/request-problem'
import { useRequest } from '@/components/request/use-request'
import { Button } from '@/components/ui/button'
import { focusAfterRender } from '@/components/ui/focus'
import text from '@/components/ui/text.module.css'
import { useStore } from '@/components/ui/use-store'
import { creditReplacementStore } from '@/lib/local/credit-replacement'
import { formatMoney } from '@/lib/money/format-money'
import { CreditBackup } from './credit-backup'
import styles from './restore-form.module.css'

interface LeakedCreditSectionProps {
  /** People can link their credit to an account here. */
  canLinkCredit: boolean
}

/** Replaces a credit whose words or key somebody else may have seen. */
export function LeakedCreditSection({ canLinkCredit }: LeakedCreditSectionProps) {
  const t = useTranslations('carry.leaked')
  return (
    <CreditSection id="leaked" title={t('title')} lead={t('lead')}>
      {creditId => <Replacement creditId={creditId} canLinkCredit={canLinkCredit} />}
    </CreditSection>
  )
}

interface ReplacementProps extends LeakedCreditSectionProps {
  /** Undefined until the page has hydrated. */
  creditId: string | undefined
}

function Replacement({ creditId, canLinkCredit }: ReplacementProps) {
  const t = useTranslations('carry.leaked')
  const common = useTranslations('common')
  const locale = useLocale()
  const replacement = useStore(creditReplacementStore)
  const { shown } = useBalance()
  const { busy, errorCode, run } = useRequest()
  /** The person has replaced the credit just now, and is told how that ended. */
  const [wasReplaced, setWasReplaced] = useState(false)
  const balance = shown && shown.amountUsd > 0 ? formatMoney(shown.amountUsd, locale) : null

  /** The button that was pressed is gone afterwards. */
  const act = async (task: () => Promise<void>) => {
    await run(task)
    focusAfterRender('#leaked h3', '#leaked h2')
  }
  if (replacement?.state === 'moving')
    return (
      <>
        <h3 tabIndex={-1} className={styles.title}>
          {t('moving')}
        </h3>
        <p className={text.text}>
          {t('follows')} {errorCode === 'credit_in_use' && t('held')}
        </p>
        <RequestProblem errorCode={errorCode === 'credit_in_use' ? null : errorCode} />
        <div>
          <Button variant="quiet" loading={busy} onClick={() => void act(finishReplacement)}>
            {common('retry')}
          </Button>
        </div>
      </>
    )
  if (replacement?.state === 'prepared' && replacement.fromCreditId === creditId)
    return (
      <>
        <h3 tabIndex={-1} className={styles.title}>
          {t('ready')}
        </h3>
        <p className={text.text}>{t('readyText')}</p>
        <CreditBackup creditId={replacement.intoCreditId} />
        <WhatEnds />
        <RequestProblem errorCode={errorCode} />
        <div className={styles.actions}>
          <Button
            loading={busy}
            onClick={() => {
              setWasReplaced(true)
              void act(replaceCredit)
            }}
          >
            {balance === null ? t('moveAll') : t('move', { amount: balance })}
          </Button>
          <Button variant="quiet" disabled={busy} onClick={() => void act(dropReplacement)}>
            {t('keep')}
          </Button>
        </div>
      </>
    )
  if (wasReplaced && replacement?.state === 'done')
    return (
      <>
        <h3 tabIndex={-1} className={styles.title}>
          {balance === null ? t('done') : t('doneWith', { amount: balance })}
        </h3>
        <p className={text.text}>{t('next')}</p>
        {canLinkCredit && (
          <p className={text.text}>{t.rich('nextLink', { link: words => <a href="#sign-in">{words}</a> })}</p>
        )}
      </>
    )
  return (
    <>
      <WhatEnds />
      <RequestProblem errorCode={errorCode} />
      <div>
        <Button
          variant="quiet"
          loading={busy}
          onClick={() => creditId && void act(() => prepareReplacement(creditId))}
        >
          {t('start')}
        </Button>
      </div>
    </>
  )
}

/** What ends with the old credit, and what does not. */
function WhatEnds() {
  const t = useTranslations('carry.leaked')
  return (
    <>
      <p className={text.text}>{t('ends')}</p>
      <p className={text.text}>{t('stays')}</p>
    </>
  )
}
