import { useLocale, useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import { Money, useMoney } from '@/components/ui/money'
import type { ModelKind } from '@/lib/catalogue/domain/model'
import { formatMoney } from '@/lib/money/format-money'
import { formatUsd } from '@/lib/money/nano'
import { MoreHeading } from './more-heading'
import { type PriceRow, unitPrices } from './price-row'
import styles from './price-table.module.css'
import { MORE_ID } from './pricing-query'

interface PricesProps {
  caption: string
  rows: readonly PriceRow[]
  /** The first row, here or in another table, that is listed because every model is asked for. */
  firstMore: PriceRow | undefined
}

/** Chat models: the prices of input and output tokens, and the cost of an everyday message. */
export function TokenPriceTable(table: PricesProps) {
  const t = useTranslations('pricing.table')
  const locale = useLocale()
  const money = useMoney()
  const price = (usd: string | null) => <Money text={usd === null ? t('free') : formatMoney(usd, locale)} />
  return (
    <PriceTable
      {...table}
      columns={[
        [t('input'), row => price(row.inputPerMillionUsd)],
        [t('output'), row => price(row.outputPerMillionUsd)],
        [
          t('message'),
          ({ averageMessageNano: nano }) => (
            <Money
              className={styles.message}
              text={nano === 0n ? t('free') : money.about(formatUsd(nano))}
              exact={nano === 0n ? undefined : money.exact(formatUsd(nano))}
            />
          ),
        ],
      ]}
    />
  )
}

/** Models that are priced by image, request or input text, each with its own units. */
export function UnitPriceTable(table: PricesProps) {
  const t = useTranslations('pricing.table')
  const locale = useLocale()
  const prices = (row: PriceRow) =>
    unitPrices(row).map(({ unit, usd }) => (
      <div key={unit}>
        <Money text={formatMoney(usd, locale)} /> <span className={styles.unit}>{t(`unit.${unit}`)}</span>
      </div>
    ))
  return <PriceTable {...table} columns={[[t('price'), prices]]} />
}

/** Voices, painters and the like have lengths too, but nobody chooses them by it. */
const CHOSEN_BY_CONTEXT: ReadonlySet<ModelKind> = new Set(['chat', 'embedding'])

interface PriceTableProps extends PricesProps {
  /** The heading of each column, and its cells. */
  columns: readonly (readonly [heading: string, cell: (row: PriceRow) => ReactNode])[]
}

function PriceTable({ caption, rows, firstMore, columns }: PriceTableProps) {
  const t = useTranslations('pricing.table')
  return (
    <div className={styles.frame}>
      <table className={styles.table}>
        <caption className={styles.caption}>{caption}</caption>
        <thead>
          <tr>
            <th scope="col">{t('model')}</th>
            {columns.map(([heading]) => (
              <th key={heading} scope="col" className={styles.amount}>
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(row => (
            <tr key={row.id}>
              <ModelCell row={row} isFirstMore={row === firstMore} />
              {columns.map(([heading, cell]) => (
                <td key={heading} className={styles.amount}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** The heading of a row: the model. */
function ModelCell({ row, isFirstMore }: { row: PriceRow; isFirstMore: boolean }) {
  const t = useTranslations('pricing.table')
  const name = (
    <>
      <span className={styles.name}>{row.name}</span>
      <span className={styles.detail}>
        <span className={styles.id}>{row.id}</span>
        {row.contextLength !== null && CHOSEN_BY_CONTEXT.has(row.kind) && (
          <span>{t('context', { count: row.contextLength })}</span>
        )}
      </span>
    </>
  )
  if (!isFirstMore) return <th scope="row">{name}</th>
  return (
    <MoreHeading id={MORE_ID} scope="row" className={styles.more}>
      {name}
    </MoreHeading>
  )
}
