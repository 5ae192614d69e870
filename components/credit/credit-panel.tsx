'use client'

import { useLocale, useTranslations } from 'next-intl'
import { useState } from 'react'
import { useRequest } from '@/components/request/use-request'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import layout from '@/components/ui/layout.module.css'
import { Money } from '@/components/ui/money'
import { Skeleton } from '@/components/ui/skeleton'
import text from '@/components/ui/text.module.css'
import { useStore } from '@/components/ui/use-store'
import { creditIdFirstSegment } from '@/lib/local/credit-id'
import { guardedStorage } from '@/lib/local/storage/guarded-storage'
import { setAsideStore, setAsideTexts } from '@/lib/local/storage/set-aside'
import { CREDIT_ID_KEY } from '@/lib/local/storage/storage-keys'
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
  const { balanceUsd, shown, error, isUnknown: isUnknownToServer, refresh } = useBalance()
  const asOf = useAsOfText(shown)
  const { busy, run } = useRequest()
  const [askedAt, setAskedAt] = useState<Date | null>(null)
  const errorText = useBalanceErrorText(error)
  if (creditId === null)
    return (
      <>
        <p className={text.muted}>{t('none')}</p>
        <SetAsideCredits />
      </>
    )
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
        {isUnknownToServer ? `${errorText}. ${t('unknownToServer')}` : errorText}
      </p>
      {creditId && shown?.asOfMs === null && <DebtNotice creditId={creditId} balanceUsd={balanceUsd} />}
      <div className={isUnknown ? untilKnown.withCredit : undefined}>
        <CreditKey creditId={creditId ?? ''} />
      </div>
      <SetAsideCredits />
    </>
  )
}

const setAsideCreditsStore = {
  subscribe: setAsideStore.subscribe,
  getSnapshot: () => setAsideTexts(guardedStorage, CREDIT_ID_KEY),
  getServerSnapshot: () => '',
}

/** The keys of credits that the server did not know. They may be worth something elsewhere. */
function SetAsideCredits() {
  const t = useTranslations('credit')
  const texts = useStore(setAsideCreditsStore)
  if (texts === '') return null
  return (
    <div className={layout.stack}>
      <p className={text.mutedText}>{t('setAside')}</p>
      <div className={layout.row}>
        {texts.split('\n').map(id => (
          <CopyButton key={id} text={id} label={t('copySetAside', { segment: creditIdFirstSegment(id) })} />
        ))}
      </div>
    </div>
  )
}
