'use client'

import { useFormatter, useTranslations } from 'next-intl'
import layout from '@/components/ui/layout.module.css'
import { Skeleton } from '@/components/ui/skeleton'
import text from '@/components/ui/text.module.css'
import type { MethodId } from '@/lib/payments/domain/payment-method'
import styles from './method-choice.module.css'
import type { OfferedMethod } from './payment-method'

interface MethodChoiceProps {
  /** Null while they are being loaded. */
  methods: readonly OfferedMethod[] | null
  chosenId: MethodId | null
  onChoose: (methodId: MethodId) => void
}

const PERCENT = 100
/** Most deployments offer these two; their room is kept so that nothing moves. */
const PLACEHOLDERS = ['lightning', 'card']

export function MethodChoice({ methods, chosenId, onChoose }: MethodChoiceProps) {
  const t = useTranslations('topUp')
  const format = useFormatter()
  return (
    <fieldset className={layout.choices}>
      <legend className={styles.legend}>{t('method')}</legend>
      {methods === null &&
        PLACEHOLDERS.map(name => (
          <div key={name} className={styles.method}>
            <Skeleton length="medium" />
          </div>
        ))}
      {methods?.map(({ id, bonusPercent }) => (
        <label key={id} className={styles.method}>
          <input
            type="radio"
            name="method"
            value={id}
            checked={id === chosenId}
            onChange={() => onChoose(id)}
            className={styles.radio}
          />
          <span>
            <span className={styles.name}>{t(`methodName.${id}`)}</span>
            <span className={text.aside}>{t(`methodDetail.${id}`)}</span>
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
