'use client'

import { useLocale, useTranslations } from 'next-intl'
import { Meter } from '@/components/ui/meter'
import { Money } from '@/components/ui/money'
import type { KeyView } from '@/lib/ledger/client/api-key'
import { formatMoney } from '@/lib/money/format-money'
import styles from './key-item.module.css'

/** What the key has spent, against its limit where it has one. */
export function KeyMeter({ apiKey }: { apiKey: KeyView }) {
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
