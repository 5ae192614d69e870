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
  // React does not pass errors that it has caught to the window; reportError makes them reach the error reports.
  useEffect(() => reportError(error), [error])
  // Code that was lost on the way stays lost for this document, however often it is rendered.
  const isLost = error.name === 'ChunkLoadError'
  return (
    <PageColumn title={t('errorTitle')} lead={t('errorText')}>
      <Button onClick={() => (isLost && navigator.onLine ? window.location.reload() : reset())}>
        {common('retry')}
      </Button>
    </PageColumn>
  )
}
