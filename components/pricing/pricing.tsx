import type { Route } from 'next'
import Link from 'next/link'
import { useTranslations } from 'next-intl'
import { buttonClass } from '@/components/ui/button-class'
import {
  EVERYDAY_ANSWER_TOKEN_COUNT,
  EVERYDAY_QUESTION_TOKEN_COUNT,
  THOUGHT_TOKEN_COUNT,
} from '@/lib/catalogue/domain/everyday'
import { MODEL_KINDS, type Model, type ModelKind } from '@/lib/catalogue/domain/model'
import { PriceCalculator } from './price-calculator'
import { priceRow } from './price-row'
import { PriceSearch } from './price-search'
import { TokenPriceTable, UnitPriceTable } from './price-table'
import styles from './pricing.module.css'
import { completeAddress, type PricingQuery, WORDS_READ_DEFAULT } from './pricing-query'
import { firstOfEachKind, selectRows } from './select-rows'

interface PricingProps {
  action: string
  models: readonly Model[]
  query: PricingQuery
}

const UNIT_PRICED_KINDS = MODEL_KINDS.filter(kind => kind !== 'chat')

/** The price list, which works without scripts. */
export function Pricing({ action, models, query }: PricingProps) {
  const t = useTranslations('pricing')
  const rows = selectRows(models.map(priceRow), query)
  const first = firstOfEachKind(rows)
  const shown = query.isComplete ? rows : first
  const ofKind = (kind: ModelKind) => shown.filter(row => row.kind === kind)
  const chatRows = ofKind('chat')
  const firstMore = MODEL_KINDS.flatMap(ofKind).find(row => !first.includes(row))
  if (models.length === 0) return <p className={styles.empty}>{t('noModels')}</p>
  return (
    <>
      <PriceCalculator action={action} models={models.filter(({ kind }) => kind === 'chat')} query={query} />
      <PriceSearch action={action} query={query} />
      {/* Announced while the focus stays in the search. */}
      <div role="status">
        {query.search !== '' && (
          <p className={styles.empty}>
            {rows.length === 0
              ? t('noMatch', { search: query.search })
              : t('matches', { count: rows.length })}
          </p>
        )}
      </div>
      {chatRows.length > 0 && (
        <TokenPriceTable caption={t('kind.chat')} rows={chatRows} firstMore={firstMore} />
      )}
      {UNIT_PRICED_KINDS.map(
        kind =>
          ofKind(kind).length > 0 && (
            <UnitPriceTable
              key={kind}
              caption={t(`kind.${kind}`)}
              rows={ofKind(kind)}
              firstMore={firstMore}
            />
          ),
      )}
      {shown.length < rows.length && (
        <p className={styles.more}>
          <Link
            href={completeAddress(action, query) as Route}
            scroll={false}
            prefetch={false}
            className={buttonClass('quiet')}
          >
            {t('showAll', { count: rows.length })}
          </Link>
        </p>
      )}
      <p className={styles.footnote}>
        {t('footnote', {
          read: EVERYDAY_QUESTION_TOKEN_COUNT,
          words: WORDS_READ_DEFAULT,
          written: EVERYDAY_ANSWER_TOKEN_COUNT,
          thoughts: THOUGHT_TOKEN_COUNT,
        })}
      </p>
    </>
  )
}
