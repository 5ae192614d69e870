'use client'

import { useTranslations } from 'next-intl'
import { PageColumn } from '@/components/shell/page-column'
import { Button } from '@/components/ui/button'

interface ErrorPageProps {
  error: Error & { digest?: string }
  reset: () => void
}

export default function ErrorPage({ reset }: ErrorPageProps) {
  const t = useTranslations('shell')
  const common = useTranslations('common')
  return (
    <PageColumn title={t('errorTitle')} lead={t('errorText')} width="narrow">
      <Button onClick={reset}>{common('retry')}</Button>
    </PageColumn>
  )
}
