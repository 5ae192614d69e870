import { useTranslations } from 'next-intl'
import { Button } from '@/components/ui/button'
import { Field } from '@/components/ui/field'
import { useMoney } from '@/components/ui/money'
import { Select } from '@/components/ui/select'
import { TextInput } from '@/components/ui/text-input'
import { THOUGHT_TOKEN_COUNT } from '@/lib/catalogue/domain/everyday'
import type { Model } from '@/lib/catalogue/domain/model'
import { formatUsd } from '@/lib/money/nano'
import { calculateCost } from './calculate-cost'
import styles from './price-calculator.module.css'
import { MESSAGE_COUNT_MAX, type PricingQuery, parametersOf, WORD_COUNT_MAX } from './pricing-query'
import { QueryForm } from './query-form'

interface PriceCalculatorProps {
  /** The page's own address. */
  action: string
  models: readonly Model[]
  query: PricingQuery
}

/** A plain form that is sent to this page, which renders the cost. */
export function PriceCalculator({ action, models, query }: PriceCalculatorProps) {
  const t = useTranslations('pricing.calculator')
  const money = useMoney()
  const model = models.find(({ id }) => id === query.modelId) ?? models[0]
  if (!model) return null
  const { totalNano, messageNano, messagesPerDollar } = calculateCost({ model, ...query })
  const { model: _, messages, read, written, ...kept } = parametersOf(query)
  return (
    <section className={styles.calculator} aria-labelledby="calculator">
      <h2 id="calculator" className={styles.title}>
        {t('title')}
      </h2>
      <QueryForm action={action} kept={kept} className={styles.form}>
        <div className={styles.model}>
          <Field label={t('model')}>
            {control => (
              <Select {...control} name="model" defaultValue={model.id}>
                {models.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </Select>
            )}
          </Field>
        </div>
        <NumberField label={t('messages')} name="messages" value={messages} max={MESSAGE_COUNT_MAX} />
        <NumberField label={t('read')} name="read" value={read} max={WORD_COUNT_MAX} />
        <NumberField label={t('written')} name="written" value={written} max={WORD_COUNT_MAX} />
        <Button type="submit" variant="quiet">
          {t('submit')}
        </Button>
      </QueryForm>
      <p className={styles.result}>
        <output className={styles.total}>{money.about(formatUsd(totalNano))}</output>{' '}
        {t('result', { count: query.messageCount, price: money.about(formatUsd(messageNano)) })}{' '}
        {messagesPerDollar !== null && t('perDollar', { count: messagesPerDollar, model: model.name })}{' '}
        {model.reasoning && t('thoughts', { count: THOUGHT_TOKEN_COUNT })}
      </p>
    </section>
  )
}

interface NumberFieldProps {
  label: string
  name: string
  value: string
  max: number
}

function NumberField({ label, name, value, max }: NumberFieldProps) {
  return (
    <Field label={label}>
      {control => (
        <TextInput
          {...control}
          type="number"
          inputMode="numeric"
          min={0}
          max={max}
          name={name}
          defaultValue={value}
        />
      )}
    </Field>
  )
}
