'use client'

import { useLocale, useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import { formatDay } from '@/components/account/format-day'
import { Meter } from '@/components/ui/meter'
import text from '@/components/ui/text.module.css'
import { LIMITED_PRICES } from '@/lib/catalogue/domain/model'
import { formatMoney } from '@/lib/money/format-money'
import styles from './key-item.module.css'
import { keyState, nextResetMs } from './key-rules'
import type { NamedKey } from './use-keys'

interface KeyItemProps {
  apiKey: NamedKey
  nowMs: number
  /** Buttons; a revoked key has none. */
  actions?: ReactNode
}

export function KeyItem({ apiKey, nowMs, actions }: KeyItemProps) {
  const t = useTranslations('keys')
  const locale = useLocale()
  const state = keyState(apiKey, nowMs)
  const day = (seconds: number) => formatDay(seconds, locale)
  const { reset_period: period, usage_limit_usd: limitUsd } = apiKey
  const resetMs =
    limitUsd === null || period === 'none' || apiKey.revoked_at !== null ? null : nextResetMs(period, nowMs)
  return (
    <li className={styles.item}>
      <div className={styles.head}>
        <p className={styles.name}>
          <bdi>{apiKey.name}</bdi> <code className={styles.hint}>{t('hint', { hint: apiKey.hint })}</code>
        </p>
        {state !== 'active' && <span className={styles.state}>{t(`state.${state}`)}</span>}
      </div>
      <KeyMeter apiKey={apiKey} />
      <KeyBounds routing={apiKey.routing} />
      <p className={text.hint}>
        {t('created', { date: day(apiKey.created_at) })}
        {resetMs !== null &&
          ` · ${t('resets', {
            // To the minute, and in the person's own time: the periods are those of UTC.
            time: new Date(resetMs).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short' }),
          })}`}
        {apiKey.expire_at !== null && ` · ${t('expires', { date: day(apiKey.expire_at - 1) })}`}
        {apiKey.revoked_at !== null && ` · ${t('revokedOn', { date: day(apiKey.revoked_at) })}`}
      </p>
      {actions && <div className={styles.actions}>{actions}</div>}
    </li>
  )
}

/** What the key has spent, and its limit if it has one. */
function KeyMeter({ apiKey }: { apiKey: NamedKey }) {
  const t = useTranslations('keys')
  const locale = useLocale()
  const used = formatMoney(apiKey.usage_usd, locale)
  if (apiKey.usage_limit_usd === null) {
    return <p className={styles.usage}>{t('usedWithoutLimit', { used })}</p>
  }
  const text = t(`usedOf.${apiKey.reset_period}`, {
    used,
    limit: formatMoney(apiKey.usage_limit_usd, locale),
  })
  return (
    <div>
      <p className={styles.usage}>{text}</p>
      <Meter
        label={t('meter', { label: apiKey.name })}
        value={apiKey.usage_usd}
        max={apiKey.usage_limit_usd}
        valueText={text}
      />
    </div>
  )
}

/** The key's other restrictions, some of which can only be set through the API. */
function KeyBounds({ routing }: Pick<NamedKey, 'routing'>) {
  const t = useTranslations('keys.bounds')
  const locale = useLocale()
  if (!routing) return null
  const { provider, max_charge_usd, models, service_tier } = routing
  const prices = LIMITED_PRICES.flatMap(name => {
    const usd = provider.max_price?.[name]
    return usd == null ? [] : [t(name, { amount: formatMoney(usd, locale) })]
  })
  const bounds = [
    max_charge_usd !== null && t('maxCharge', { amount: formatMoney(max_charge_usd, locale) }),
    ...prices,
    models !== null && t('models', { count: models.length, model: models[0] ?? '' }),
    provider.zdr ? t('zdr') : provider.data_collection === 'deny' && t('deny'),
    service_tier !== null && t(service_tier),
  ].filter(bound => bound !== false)
  return bounds.length > 0 && <p className={text.note}>{bounds.join(' · ')}</p>
}
