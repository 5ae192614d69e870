'use client'

import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import layout from '@/components/ui/layout.module.css'
import text from '@/components/ui/text.module.css'
import { DataList } from './data-list'
import { DeleteForm } from './delete-form'
import { ExportForm } from './export-form'
import { ImportForm } from './import-form'
import styles from './your-data.module.css'

/** The account page's section: what is stored in this browser, and how to take, bring or delete it. */
export function YourData() {
  return (
    <div className={layout.sections}>
      <DataList />
      <ExportForm />
      <ImportForm />
      <DeleteEverything />
    </div>
  )
}

function DeleteEverything() {
  const t = useTranslations('yourData')
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <div className={styles.block}>
      <h3 className={styles.subtitle}>{t('deleteTitle')}</h3>
      <p className={text.note}>{t('deleteLead')}</p>
      <Button variant="danger" onClick={() => setOpen(true)}>
        {t('deleteOpen')}
      </Button>
      <Dialog open={isOpen} onClose={close} title={t('deleteTitle')}>
        <DeleteForm onCancel={close} />
      </Dialog>
    </div>
  )
}
