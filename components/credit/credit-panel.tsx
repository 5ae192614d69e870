'use client'

import { useLocale, useTranslations } from 'next-intl'
import { useState } from 'react'
import { useRequest } from '@/components/account/use-request'
import { Button } from '@/components/ui/button'
import { Money } from '@/components/ui/money'
import { Skeleton } from '@/components/ui/skeleton'
import text from '@/components/ui/text.module.css'
import { formatMoney } from '@/lib/money/format-money'
import { CreditKey } from './credit-key'
import styles from './credit-panel.module.css'
import { DebtNotice } from './debt-notice'
import { useAsOfText } from './live-balance'
import untilKnown from './until-known.module.css'
import { useBalance, useBalanceErrorText } from './use-balance'
import { useCreditId } from './use-credit-id'

/** The exact balance, and the key that it belongs to. */
export function CreditPanel() {
  const t = useTranslations('credit')
  const locale = useLocale()
  const creditId = useCreditId()
  const { balanceUsd, shown, error, refresh } = useBalance()
  const asOf = useAsOfText(shown)
  const { busy, run } = useRequest()
  const [askedAt, setAskedAt] = useState<Date | null>(null)
  const errorText = useBalanceErrorText(error)
  if (creditId === null) return <p className={text.muted}>{t('none')}</p>
  const isUnknown = creditId === undefined
  return (
    <>
      {isUnknown && <p className={`${text.muted} ${untilKnown.withoutCredit}`}>{t('none')}</p>}
      <div className={isUnknown ? `${styles.balance} ${untilKnown.withCredit}` : styles.balance}>
        {/* Announced only after the person asked for it, and then even if the amount is the same. */}
        <p
          role="status"
          aria-live={busy || askedAt ? 'polite' : 'off'}
          aria-atomic="true"
          className={styles.amount}
        >
          {shown ? (
            <Money
              text={formatMoney(shown.amountUsd, locale)}
              className={asOf === null ? undefined : styles.old}
            />
          ) : error === null ? (
            <Skeleton length="short" />
          ) : (
            '–'
          )}
          {error !== null && asOf && <span className={styles.asOf}>{asOf}</span>}
          {askedAt && error === null && (
            <span className={styles.asOf}>
              {t('refreshed', {
                time: new Intl.DateTimeFormat(locale, { timeStyle: 'medium' }).format(askedAt),
              })}
            </span>
          )}
        </p>
        <Button
          variant="quiet"
          size="small"
          loading={busy}
          onClick={() => void run(refresh).then(() => setAskedAt(new Date()))}
        >
          {t('refresh')}
        </Button>
      </div>
      <p role="alert" className={text.problem}>
        {errorText}
      </p>
      {creditId && shown?.asOfMs === null && <DebtNotice creditId={creditId} balanceUsd={balanceUsd} />}
      <div className={isUnknown ? untilKnown.withCredit : undefined}>
        <CreditKey creditId={creditId ?? ''} />
      </div>
    </>
  )
}
