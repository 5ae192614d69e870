'use client'

import { Download } from 'lucide'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { useExport } from '@/components/storage/use-export'
import { Button } from '@/components/ui/button'
import { Icon } from '@/components/ui/icon'
import { Switch } from '@/components/ui/switch'
import text from '@/components/ui/text.module.css'
import styles from './your-data.module.css'

/**
 * Exports everything as one file. The credit is included only on request, since people share files more readily than
 * money.
 */
export function ExportForm() {
  const t = useTranslations('yourData')
  const [includeCredit, setIncludeCredit] = useState(false)
  const exporting = useExport()
  return (
    <div className={styles.block}>
      <h3 className={styles.subtitle}>{t('exportTitle')}</h3>
      <Switch
        label={t('includeCredit')}
        hint={t('includeCreditHint')}
        checked={includeCredit}
        onChange={setIncludeCredit}
      />
      <Button variant="quiet" loading={exporting.busy} onClick={() => exporting.start(includeCredit)}>
        <Icon icon={Download} size={18} />
        {t('export')}
      </Button>
      <p role="status" className={text.result}>
        {exporting.outcome}
      </p>
    </div>
  )
}
