'use client'

import { useTranslations } from 'next-intl'
import useSWRImmutable from 'swr/immutable'
import { useCreditId } from '@/components/credit/use-credit-id'
import { RequestProblem } from '@/components/request/request-problem'
import { Skeleton } from '@/components/ui/skeleton'
import text from '@/components/ui/text.module.css'
import { VisuallyHidden } from '@/components/ui/visually-hidden'
import { fetchQuery } from '@/lib/api/client/queries'
import type { Query } from '@/lib/api/contracts/queries'
import { fetchErrorCode } from '@/lib/http/client/call-api'
import { CostBreakdown } from './cost-breakdown'

interface WhyThisCostProps {
  exchangeId: string
}

type Key = readonly ['usage entry', creditId: string, exchangeId: string]

/** Why an answer cost what it did. Loaded when it is rendered; a finished call never changes. */
export function WhyThisCost({ exchangeId }: WhyThisCostProps) {
  const t = useTranslations('cost')
  const creditId = useCreditId()
  const { data, error, mutate } = useSWRImmutable<Query, unknown, Key | null>(
    creditId ? ['usage entry', creditId, exchangeId] : null,
    ([, credential, id]) => fetchQuery(credential, id),
  )
  if (creditId === null) return <p className={text.mutedText}>{t('otherCredit')}</p>
  if (data) return <CostBreakdown entry={data} />
  const errorCode = fetchErrorCode(error)
  // It was paid for by a credit that this browser had before.
  if (errorCode === 'not_found') return <p className={text.mutedText}>{t('otherCredit')}</p>
  return (
    <div aria-busy={errorCode === null}>
      {errorCode === null && (
        <>
          <Skeleton length="long" />
          <VisuallyHidden>{t('loading')}</VisuallyHidden>
        </>
      )}
      <RequestProblem errorCode={errorCode} onRetry={() => void mutate()} />
    </div>
  )
}
