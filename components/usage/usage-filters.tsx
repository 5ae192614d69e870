'use client'

import { useTranslations } from 'next-intl'
import type { NamedKey } from '@/components/keys/use-keys'
import { Field } from '@/components/ui/field'
import { Select } from '@/components/ui/select'
import { PERIODS, type Period } from './period'
import styles from './usage-filters.module.css'

export interface UsageChoice {
  period: Period
  /** Empty for all. */
  modelId: string
  keyId: string
}

interface UsageFiltersProps {
  choice: UsageChoice
  modelIds: readonly string[]
  keys: readonly NamedKey[]
  onChange: (choice: UsageChoice) => void
}

export function UsageFilters({ choice, modelIds, keys, onChange }: UsageFiltersProps) {
  const t = useTranslations('usage')
  return (
    <div className={styles.filters}>
      <Field label={t('period')}>
        {control => (
          <Select
            {...control}
            value={choice.period}
            onChange={event =>
              onChange({
                ...choice,
                period: PERIODS.find(period => period === event.currentTarget.value) ?? 'month',
              })
            }
          >
            {PERIODS.map(period => (
              <option key={period} value={period}>
                {t(`periods.${period}`)}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label={t('model')}>
        {control => (
          <Select
            {...control}
            value={choice.modelId}
            onChange={event => onChange({ ...choice, modelId: event.currentTarget.value })}
          >
            <option value="">{t('allModels')}</option>
            {modelIds.map(modelId => (
              <option key={modelId} value={modelId}>
                {modelId}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label={t('key')}>
        {control => (
          <Select
            {...control}
            value={choice.keyId}
            onChange={event => onChange({ ...choice, keyId: event.currentTarget.value })}
          >
            <option value="">{t('allKeys')}</option>
            {keys.map(key => (
              <option key={key.id} value={key.id}>
                {t('keyNamed', { label: key.name, hint: key.hint })}
              </option>
            ))}
          </Select>
        )}
      </Field>
    </div>
  )
}
