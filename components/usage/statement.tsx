'use client'

import { useFormatter, useLocale, useTranslations } from 'next-intl'
import { useEffect, useId, useMemo, useState } from 'react'
import useSWR from 'swr'
import useSWRImmutable from 'swr/immutable'
import { Button } from '@/components/ui/button'
import { Field } from '@/components/ui/field'
import layout from '@/components/ui/layout.module.css'
import { Money, useMoney } from '@/components/ui/money'
import { Select } from '@/components/ui/select'
import { Skeleton } from '@/components/ui/skeleton'
import text from '@/components/ui/text.module.css'
import { VisuallyHidden } from '@/components/ui/visually-hidden'
import { fetchMonth, type RecentQueries } from '@/lib/api/client/queries'
import type { Query } from '@/lib/api/contracts/queries'
import { callApi, fetchErrorCode } from '@/lib/http/client/call-api'
import type { CallErrorCode } from '@/lib/http/domain/error-codes'
import { LISTED_MONTH_COUNT } from '@/lib/ledger/domain/limits'
import { formatUsd } from '@/lib/money/nano'
import styles from './statement.module.css'
import {
  compareCalls,
  makeStatement,
  type OtherModel,
  readOtherModels,
  type StatementMonth,
  statementMonths,
} from './statement-rules'

interface StatementProps {
  creditId: string
  /** Told why the month could not be fetched; null once that is over. Whoever is told says so. */
  onErrorCode: (errorCode: CallErrorCode | null) => void
}

/** The cost of a month by model, and what it would have been on another. For the screen, and on paper by itself. */
export function Statement({ creditId, onErrorCode }: StatementProps) {
  const t = useTranslations('usage.statement')
  const locale = useLocale()
  const titleId = useId()
  const [months] = useState(() => statementMonths(Date.now(), LISTED_MONTH_COUNT))
  const [ago, setAgo] = useState(0)
  const month = months[ago] ?? months[0]
  const { data, error } = useMonth(creditId, month)
  const errorCode = fetchErrorCode(error)
  useEffect(() => {
    onErrorCode(errorCode)
    return () => onErrorCode(null)
  }, [errorCode, onErrorCode])
  const { format: name } = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric' })
  return (
    <section className={styles.statement} aria-labelledby={titleId} data-print-alone>
      <h3 id={titleId} className={styles.title}>
        {t('title', { month: month ? name(month.first) : '' })}
      </h3>
      <div className={styles.choice}>
        <Field label={t('month')}>
          {control => (
            <Select {...control} value={ago} onChange={event => setAgo(Number(event.currentTarget.value))}>
              {months.map(({ first }, index) => (
                <option key={first.getTime()} value={index}>
                  {name(first)}
                </option>
              ))}
            </Select>
          )}
        </Field>
      </div>
      {!data && !error && (
        <div aria-busy>
          <Skeleton length="long" />
          <VisuallyHidden>{t('reading')}</VisuallyHidden>
        </div>
      )}
      {data?.entries.length === 0 && <p className={text.muted}>{t('none')}</p>}
      {data && data.entries.length > 0 && <Month calls={data.entries} isTruncated={data.truncated} />}
    </section>
  )
}

interface MonthProps {
  calls: readonly Query[]
  isTruncated: boolean
}

function Month({ calls, isTruncated }: MonthProps) {
  const t = useTranslations('usage.statement')
  const money = useMoney()
  const { rows, callCount, chargedNano } = useMemo(() => makeStatement(calls), [calls])
  return (
    <>
      <table className={layout.table}>
        <thead>
          <tr>
            <th scope="col">{t('model')}</th>
            <th scope="col" className={styles.sum}>
              {t('sum')}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(row => (
            <tr key={row.modelId}>
              <th scope="row">
                <span className={styles.model}>{row.modelId}</span>
                <span className={styles.detail}>
                  {t('calls', { count: row.callCount })}
                  {row.inputTokenCount + row.outputTokenCount > 0 && (
                    <>
                      {' · '}
                      {t('tokens', {
                        input: row.inputTokenCount,
                        output: row.outputTokenCount,
                      })}
                    </>
                  )}
                </span>
              </th>
              <td className={styles.sum}>
                <Money text={money.exact(formatUsd(row.chargedNano))} />
              </td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">
              {t('total')}
              <span className={styles.detail}>{t('calls', { count: callCount })}</span>
            </th>
            <td className={styles.sum}>
              <Money text={money.exact(formatUsd(chargedNano))} />
            </td>
          </tr>
        </tfoot>
      </table>
      {isTruncated && <p className={text.problem}>{t('truncated', { count: callCount })}</p>}
      <OnAnotherModel calls={calls} />
      <div className={layout.row}>
        <Button variant="quiet" onClick={() => window.print()}>
          {t('print')}
        </Button>
      </div>
    </>
  )
}

function OnAnotherModel({ calls }: { calls: readonly Query[] }) {
  const t = useTranslations('usage.statement')
  const locale = useLocale()
  const [modelId, setModelId] = useState('')
  const { data: models = [] } = useSWRImmutable('other models', fetchOtherModels)
  const named = useMemo(() => {
    const collator = new Intl.Collator(locale)
    return [...models].sort((left, right) => collator.compare(left.name, right.name))
  }, [models, locale])
  const model = models.find(({ id }) => id === modelId)
  if (models.length === 0) return null
  return (
    <div className={layout.stack}>
      <div className={styles.choice}>
        <Field label={t('compare')}>
          {control => (
            <Select {...control} value={modelId} onChange={event => setModelId(event.currentTarget.value)}>
              <option value="">{t('choose')}</option>
              {named.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </Select>
          )}
        </Field>
      </div>
      {model && <Compared calls={calls} model={model} />}
    </div>
  )
}

function Compared({ calls, model }: { calls: readonly Query[]; model: OtherModel }) {
  const t = useTranslations('usage.statement')
  const money = useMoney()
  const format = useFormatter()
  const compared = useMemo(() => compareCalls(calls, model), [calls, model])
  const { callCount, changePercent, leftOutCount, reasoningTokenCount, cachedTokenCount } = compared
  if (callCount === 0) return <p className={text.mutedText}>{t('nothingToCompare')}</p>
  const change =
    changePercent === null ? 'free' : changePercent < 0 ? 'less' : changePercent > 0 ? 'more' : 'same'
  return (
    <div className={styles.compared} aria-live="polite">
      <p className={styles.change}>
        {t(change, {
          model: model.name,
          price: money.exact(formatUsd(compared.otherNano)),
          percent: format.number(Math.abs(changePercent ?? 0) / 100, { style: 'percent' }),
        })}
      </p>
      <p className={text.mutedText}>
        {t('basis', { count: callCount, price: money.exact(formatUsd(compared.paidNano)) })}{' '}
        {leftOutCount > 0 && t('leftOut', { count: leftOutCount })}
      </p>
      <ul className={styles.unknown}>
        <li>{t('tokenizers', { model: model.name })}</li>
        {reasoningTokenCount > 0 && (
          <li>{t('reasoning', { count: format.number(reasoningTokenCount), model: model.name })}</li>
        )}
        {cachedTokenCount > 0 && (
          <li>{t('cached', { count: format.number(cachedTokenCount), model: model.name })}</li>
        )}
        {compared.unreckonedNano > 0n && (
          <li>{t('unreckoned', { price: money.exact(formatUsd(compared.unreckonedNano)) })}</li>
        )}
      </ul>
    </div>
  )
}

type Key = readonly ['usage', 'statement', creditId: string, fromSeconds: number, toSeconds: number]

function useMonth(creditId: string, month: StatementMonth | undefined) {
  return useSWR<RecentQueries, unknown, Key | null>(
    month ? ['usage', 'statement', creditId, month.fromSeconds, month.toSeconds] : null,
    ([, , credential, fromSeconds, toSeconds]) => fetchMonth(credential, { fromSeconds, toSeconds }),
    // As fresh as the list above it.
    { revalidateOnFocus: false, dedupingInterval: 0 },
  )
}

async function fetchOtherModels(): Promise<OtherModel[]> {
  const response = await callApi({ method: 'GET', path: '/v1/models?type=chat' })
  return readOtherModels(await response.text())
}
