import { useTranslations } from 'next-intl'
import { Button } from '@/components/ui/button'
import { Field } from '@/components/ui/field'
import { Select } from '@/components/ui/select'
import { TextInput } from '@/components/ui/text-input'
import styles from './price-search.module.css'
import { type PricingQuery, parametersOf } from './pricing-query'
import { QueryForm } from './query-form'
import { SORT_ORDERS } from './select-rows'

interface PriceSearchProps {
  action: string
  query: PricingQuery
}

export function PriceSearch({ action, query }: PriceSearchProps) {
  const t = useTranslations('pricing.search')
  const { q, sort, ...kept } = parametersOf(query)
  return (
    <QueryForm action={action} role="search" kept={kept} className={styles.search}>
      <div className={styles.text}>
        <Field label={t('label')}>
          {control => <TextInput {...control} type="search" name="q" defaultValue={q} />}
        </Field>
      </div>
      <div className={styles.sort}>
        <Field label={t('sort')}>
          {control => (
            <Select {...control} name="sort" defaultValue={sort}>
              {SORT_ORDERS.map(order => (
                <option key={order} value={order}>
                  {t(`order.${order}`)}
                </option>
              ))}
            </Select>
          )}
        </Field>
      </div>
      <Button type="submit" variant="quiet">
        {t('submit')}
      </Button>
    </QueryForm>
  )
}
