'use client'

import { useLocale, useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import { formatDay } from '@/components/account/format-day'
import { Meter } from '@/components/ui/meter'
import { Money } from '@/components/ui/money'
import text from '@/components/ui/text.module.css'
import type { KeyView } from '@/lib/ledger/client/api-key'
import { formatMoney } from '@/lib/money/format-money'
import styles from './key-item.module.css'
import { keyState } from './key-rules'

interface KeyItemProps {
  apiKey: KeyView
  nowMs: number
  /** Buttons; none for a revoked key. */
  actions?: ReactNode
}

export function KeyItem({ apiKey, nowMs, actions }: KeyItemProps) {
  const t = useTranslations('keys')
  const locale = useLocale()
  const state = keyState(apiKey, nowMs)
  const day = (seconds: number) => formatDay(seconds, locale)
  return (
    <li className={styles.item}>
      <div className={styles.head}>
        <p className={styles.name}>
          {apiKey.label} <code className={styles.hint}>{t('hint', { hint: apiKey.hint })}</code>
        </p>
        {state !== 'active' && <span className={styles.state}>{t(`state.${state}`)}</span>}
      </div>
      <KeyMeter apiKey={apiKey} />
      <p className={text.hint}>
        {t('created', { date: day(apiKey.createdAtSeconds) })}
        {apiKey.expiresAtSeconds !== null && ` · ${t('expires', { date: day(apiKey.expiresAtSeconds - 1) })}`}
        {apiKey.revokedAtSeconds !== null && ` · ${t('revokedOn', { date: day(apiKey.revokedAtSeconds) })}`}
      </p>
      {actions && <div className={styles.actions}>{actions}</div>}
    </li>
  )
}

/** What the key has spent, against its limit where it has one. */
function KeyMeter({ apiKey }: { apiKey: KeyView }) {
  const t = useTranslations('keys')
  const locale = useLocale()
  const used = formatMoney(apiKey.usageUsd, locale)
  if (apiKey.usageLimitUsd === null) {
    return (
      <p className={styles.usage}>
        <Money text={t('usedWithoutLimit', { used })} />
      </p>
    )
  }
  const text = t(`usedOf.${apiKey.resetPeriod}`, { used, limit: formatMoney(apiKey.usageLimitUsd, locale) })
  return (
    <div>
      <p className={styles.usage}>
        <Money text={text} />
      </p>
      <Meter
        label={t('meter', { label: apiKey.label })}
        value={apiKey.usageUsd}
        max={apiKey.usageLimitUsd}
        valueText={text}
      />
    </div>
  )
}
