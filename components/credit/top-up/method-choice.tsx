'use client'

import { useFormatter, useTranslations } from 'next-intl'
import layout from '@/components/ui/layout.module.css'
import { Skeleton } from '@/components/ui/skeleton'
import text from '@/components/ui/text.module.css'
import type { PaymentMethodOffer } from '@/lib/api/contracts/invoices'
import styles from './method-choice.module.css'

interface MethodChoiceProps {
  /** Null while they load. */
  methods: readonly PaymentMethodOffer[] | null
  chosen: PaymentMethodOffer['method'] | null
  onChoose: (method: PaymentMethodOffer['method']) => void
}

const PERCENT = 100
/** Placeholders for the two methods that most deployments offer, so that nothing moves when they load. */
const PLACEHOLDERS = ['lightning', 'card']

export function MethodChoice({ methods, chosen, onChoose }: MethodChoiceProps) {
  const t = useTranslations('topUp')
  const format = useFormatter()
  return (
    <fieldset className={layout.choices}>
      <legend className={layout.legend}>{t('method')}</legend>
      {methods === null &&
        PLACEHOLDERS.map(name => (
          <div key={name} className={styles.method}>
            <Skeleton length="medium" />
          </div>
        ))}
      {methods?.map(({ method, bonus_percent: bonusPercent }) => (
        <label key={method} className={styles.method}>
          <input
            type="radio"
            name="method"
            value={method}
            checked={method === chosen}
            onChange={() => onChoose(method)}
            className={styles.radio}
          />
          <span>
            <span className={styles.name}>{t(`methodName.${method}`)}</span>
            <span className={text.aside}>{t(`methodDetail.${method}`)}</span>
          </span>
          {bonusPercent > 0 && (
            <span className={styles.bonus}>
              {t('bonus', {
                percent: format.number(bonusPercent / PERCENT, {
                  style: 'percent',
                  maximumFractionDigits: 1,
                }),
              })}
            </span>
          )}
        </label>
      ))}
    </fieldset>
  )
}
