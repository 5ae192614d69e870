'use client'

import { useLocale, useTranslations } from 'next-intl'
import useSWR from 'swr'
import text from '@/components/ui/text.module.css'
import { callApiForJson, numberOf } from '@/lib/http/client/call-api'
import { formatMoney } from '@/lib/money/format-money'

interface DebtNoticeProps {
  creditId: string
  /** The debt is fetched again whenever this changes, since incoming money pays it first. */
  balanceUsd: number
}

/** The debt that a refund or chargeback left. Nearly nobody has one, and then nothing is rendered. */
export function DebtNotice({ creditId, balanceUsd }: DebtNoticeProps) {
  const t = useTranslations('credit')
  const locale = useLocale()
  const { data: debtUsd } = useSWR(['debt', creditId, balanceUsd] as const, ([, id]) => fetchDebt(id), {
    keepPreviousData: true,
  })
  if (!debtUsd) return null
  return <p className={text.muted}>{t('debt', { amount: formatMoney(debtUsd, locale) })}</p>
}

/** Not part of the specification's credit record. @throws ApiCallError */
async function fetchDebt(creditId: string): Promise<number> {
  const answer = await callApiForJson({
    method: 'POST',
    path: '/credits/balance',
    bearer: creditId,
    body: {},
  })
  return numberOf(answer, 'debt_usd') ?? 0
}
