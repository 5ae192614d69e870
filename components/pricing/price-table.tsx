import { useLocale, useTranslations } from 'next-intl'
import { formatApproximateMoney, formatMoney } from '@/lib/money/format-money'
import { nanoToUsdNumber } from '@/lib/money/nano'
import { type Html, html } from './html'
import { type PriceRow, unitPrices } from './price-row'
import styles from './price-table.module.css'

interface PriceTableProps {
  caption: string
  rows: readonly PriceRow[]
}

/** Chat models: tokens in, tokens out, and what an everyday message comes to. */
export function PriceTable({ caption, rows }: PriceTableProps) {
  const t = useTranslations('pricing.table')
  const locale = useLocale()
  const price = (usd: string | null) => (usd === null ? t('free') : formatMoney(usd, locale))
  const message = ({ averageMessageNano: nano }: PriceRow) =>
    nano === 0n ? t('free') : formatApproximateMoney(nanoToUsdNumber(nano), locale)
  const cells = (row: PriceRow) =>
    [price(row.inputPerMillionUsd), price(row.outputPerMillionUsd), message(row)].map(
      text => html`<td>${text}</td>`,
    )
  return <Table caption={caption} heads={[t('input'), t('output'), t('message')]} rows={rows} cells={cells} />
}

/** Models that are paid by the image, the request or the text they read: each with its own units. */
export function UnitPriceTable({ caption, rows }: PriceTableProps) {
  const t = useTranslations('pricing.table')
  const locale = useLocale()
  const cells = (row: PriceRow) => {
    const prices = unitPrices(row).map(
      ({ unit, usd }) => html`<div>${formatMoney(usd, locale)} <span>${t(`unit.${unit}`)}</span></div>`,
    )
    return [html`<td>${prices}</td>`]
  }
  return <Table caption={caption} heads={[t('price')]} rows={rows} cells={cells} />
}

interface TableProps extends PriceTableProps {
  /** Of all columns but the first. */
  heads: readonly string[]
  cells: (row: PriceRow) => readonly Html[]
}

/**
 * One row a model, of which there are hundreds. They are there to be read alone: as markup, a browser has them
 * with the page, and nothing in them is looked at again, nor sent once more as elements, by scripts.
 */
function Table({ caption, heads, rows, cells }: TableProps) {
  const t = useTranslations('pricing.table')
  const context = ({ contextLength: count }: PriceRow) =>
    count === null ? [] : [html`<span>${t('context', { count })}</span>`]
  const markup = rows.map(row => {
    const about = html`<span><code>${row.id}</code>${context(row)}</span>`
    return html`<tr><th scope="row"><span>${row.name}</span>${about}</th>${cells(row)}</tr>`
  })
  return (
    <div className={styles.frame}>
      <table className={styles.table}>
        <caption className={styles.caption}>{caption}</caption>
        <thead>
          <tr>
            <th scope="col">{t('model')}</th>
            {heads.map(head => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: all text in it is escaped */}
        <tbody dangerouslySetInnerHTML={{ __html: html`${markup}`.text }} />
      </table>
    </div>
  )
}
