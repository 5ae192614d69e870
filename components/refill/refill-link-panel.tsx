'use client'

import { useLocale, useTranslations } from 'next-intl'
import { formatDay } from '@/components/account/format-day'
import { RequestProblem } from '@/components/account/request-problem'
import { Button } from '@/components/ui/button'
import layout from '@/components/ui/layout.module.css'
import { Skeleton } from '@/components/ui/skeleton'
import text from '@/components/ui/text.module.css'
import { NewRefillLink } from './new-refill-link'
import { useRefillLink } from './use-refill-link'

export function RefillLinkPanel({ creditId }: { creditId: string }) {
  const t = useTranslations('refill')
  const locale = useLocale()
  const { link, address, loadErrorCode, reload, busy, errorCode, create, revoke } = useRefillLink(creditId)
  if (link === undefined) {
    return loadErrorCode === null ? (
      <Skeleton length="medium" />
    ) : (
      <RequestProblem errorCode={loadErrorCode} onRetry={reload} />
    )
  }
  return (
    <div className={layout.form}>
      {address !== null && <NewRefillLink address={address} />}
      {link && address === null && (
        <p className={text.text}>{t('exists', { date: formatDay(link.createdAtSeconds, locale) })}</p>
      )}
      <RequestProblem errorCode={errorCode} />
      <div className={layout.row}>
        {address === null && (
          <Button variant="quiet" loading={busy} onClick={() => void create()}>
            {link ? t('replace') : t('create')}
          </Button>
        )}
        {link && (
          <Button variant="quiet" loading={busy} onClick={() => void revoke()}>
            {t('revoke')}
          </Button>
        )}
      </div>
    </div>
  )
}
