'use client'

import { Download } from 'lucide'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { downloadExport } from '@/components/storage/download-export'
import { useTask } from '@/components/storage/use-task'
import { Button } from '@/components/ui/button'
import { Icon } from '@/components/ui/icon'
import { Switch } from '@/components/ui/switch'
import styles from './your-data.module.css'

/** Everything as one file. The credit goes along unless one says no: a copy of it can save it. */
export function ExportForm() {
  const t = useTranslations('yourData')
  const [includeCredit, setIncludeCredit] = useState(true)
  const exporting = useTask(() => downloadExport(includeCredit))
  return (
    <div className={styles.block}>
      <h3 className={styles.subtitle}>{t('exportTitle')}</h3>
      <Switch
        label={t('includeCredit')}
        hint={t('includeCreditHint')}
        checked={includeCredit}
        onChange={setIncludeCredit}
      />
      <Button variant="quiet" loading={exporting.state === 'running'} onClick={exporting.run}>
        <Icon icon={Download} size={18} />
        {t('export')}
      </Button>
      <p role="status" className={styles.result}>
        {exporting.state === 'failed' && t('exportFailed')}
      </p>
    </div>
  )
}
