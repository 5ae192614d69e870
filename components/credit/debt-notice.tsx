'use client'

import { useLocale, useTranslations } from 'next-intl'
import useSWR from 'swr'
import text from '@/components/ui/text.module.css'
import { callApiForJson, numberOf } from '@/lib/http/client/call-api'
import { formatMoney } from '@/lib/money/format-money'

interface DebtNoticeProps {
  creditId: string
  /** Asked again whenever it changes: what comes in pays a debt first. */
  balanceUsd: number
}

/** What a refund or a chargeback could not take back; nothing for nearly everybody. */
export function DebtNotice({ creditId, balanceUsd }: DebtNoticeProps) {
  const t = useTranslations('credit')
  const locale = useLocale()
  const { data: debtUsd } = useSWR(['debt', creditId, balanceUsd] as const, ([, id]) => fetchDebt(id), {
    keepPreviousData: true,
  })
  if (!debtUsd) return null
  return <p className={text.muted}>{t('debt', { amount: formatMoney(debtUsd, locale) })}</p>
}

/** The specification's credit record tells none. @throws ApiCallError */
async function fetchDebt(creditId: string): Promise<number> {
  const answer = await callApiForJson({
    method: 'POST',
    path: '/credits/balance',
    bearer: creditId,
    body: {},
  })
  return numberOf(answer, 'debt_usd') ?? 0
}
