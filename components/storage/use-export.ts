import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { useRequest } from '@/components/request/use-request'
import { useErrorText } from '@/components/shell/use-error-text'
import { downloadExport } from './download-export'

/** Exports everything, and says what has come of it where that needs words. */
export function useExport() {
  const t = useTranslations('storage')
  const errorText = useErrorText()
  const [fileCount, setFileCount] = useState(0)
  const { busy, errorCode, run } = useRequest()
  return {
    busy,
    start(includeCredit = false): void {
      setFileCount(0)
      void run(async () => setFileCount(await downloadExport(includeCredit)))
    },
    outcome:
      errorCode === 'part_missing'
        ? errorText(errorCode)
        : errorCode !== null
          ? t('exportFailed')
          : fileCount > 1
            ? t('exportedFiles', { count: fileCount })
            : '',
  }
}
