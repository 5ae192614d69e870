'use client'

import { useTranslations } from 'next-intl'
import { useEffect } from 'react'
import { PageColumn } from '@/components/shell/page-column'
import { Button } from '@/components/ui/button'

interface ErrorPageProps {
  error: Error & { digest?: string }
  reset: () => void
}

export default function ErrorPage({ error, reset }: ErrorPageProps) {
  const t = useTranslations('shell')
  const common = useTranslations('common')
  // What React has caught is no event of the page any more; said again, it is one for whoever listens.
  useEffect(() => reportError(error), [error])
  return (
    <PageColumn title={t('errorTitle')} lead={t('errorText')}>
      <Button onClick={reset}>{common('retry')}</Button>
    </PageColumn>
  )
}
