'use client'

import { useTranslations } from 'next-intl'
import { Button } from '@/components/ui/button'
import { focusAfterRender } from '@/components/ui/focus'
import { saveFile } from '@/components/ui/save-file'
import text from '@/components/ui/text.module.css'
import { guardedStorage } from '@/lib/local/storage/guarded-storage'
import { deleteSetAside, readSetAside } from '@/lib/local/storage/set-aside'
import styles from './storage-dialog.module.css'

interface SetAsideDataProps {
  onDeleted: () => void
}

/** Data that could not be read and still takes up room: the person can save it as a file, and delete it here. */
export function SetAsideData({ onDeleted }: SetAsideDataProps) {
  const t = useTranslations('storage')
  const save = () => {
    const text = JSON.stringify(readSetAside(guardedStorage))
    saveFile(new Blob([text], { type: 'application/json' }), 'tuppence-set-aside.json')
  }
  const remove = () => {
    deleteSetAside(guardedStorage)
    onDeleted()
    // The buttons disappear with the data.
    focusAfterRender('dialog[open] h2', '#your-data h2')
  }
  return (
    <section>
      <h3 className={styles.subtitle}>{t('setAsideTitle')}</h3>
      <p className={text.note}>{t('setAsideLead')}</p>
      <div className={styles.actions}>
        <Button variant="quiet" onClick={save}>
          {t('setAsideSave')}
        </Button>
        <Button variant="danger" onClick={remove}>
          {t('setAsideDelete')}
        </Button>
      </div>
    </section>
  )
}
