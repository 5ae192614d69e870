'use client'

import { Upload } from 'lucide'
import { useTranslations } from 'next-intl'
import { useRef, useState } from 'react'
import { conversationDataStore } from '@/components/shell/conversation-data'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { FileInput } from '@/components/ui/file-input'
import { Icon } from '@/components/ui/icon'
import { Status } from '@/components/ui/status'
import text from '@/components/ui/text.module.css'
import { useStore } from '@/components/ui/use-store'
import { archive, historyStore } from '@/lib/local/archive/history-store'
import { conversations } from '@/lib/local/conversations/conversations'
import { creditIdFirstSegment, creditIdStore } from '@/lib/local/credit-id'
import { openDocumentTable } from '@/lib/local/documents/document-table'
import { openImageTable } from '@/lib/local/images/image-store'
import { promptStore } from '@/lib/local/prompts/prompt-store'
import { guardedStorage } from '@/lib/local/storage/guarded-storage'
import type { ImportResult, OfferedSettings } from '@/lib/local/transfer/import-data'
import styles from './your-data.module.css'

/** Why nothing of a file was read. */
type ImportRefusal = 'unreadable' | 'tooLarge'

type ImportState = 'idle' | 'running' | ImportRefusal | 'failed' | ImportResult

/** Imports an exported file. Nothing in this browser is replaced by something older. */
export function ImportForm({ onImported }: { onImported: () => void }) {
  const t = useTranslations('yourData')
  const inputRef = useRef<HTMLInputElement>(null)
  const chooseRef = useRef<HTMLButtonElement>(null)
  // The button of an offer disappears once it is taken.
  const keepFocus = () => chooseRef.current?.focus()
  const [state, setState] = useState<ImportState>('idle')

  async function take(file: File): Promise<void> {
    setState('running')
    try {
      setState(await importFile(file))
    } catch (error) {
      reportError(error)
      setState('failed')
    }
    // Even one that failed may have brought something.
    onImported()
  }

  return (
    <div className={styles.block}>
      <h3 className={styles.subtitle}>{t('importTitle')}</h3>
      <p className={text.note}>{t('importLabel')}</p>
      <Button
        ref={chooseRef}
        variant="quiet"
        loading={state === 'running'}
        onClick={() => inputRef.current?.click()}
      >
        <Icon icon={Upload} size={18} />
        {t('importChoose')}
      </Button>
      <FileInput
        ref={inputRef}
        aria-label={t('importLabel')}
        accept="application/json,.json"
        onFiles={([file]) => file && void take(file)}
      />
      <p role="status" className={text.result}>
        <ImportOutcome state={state} />
      </p>
      {typeof state === 'object' && <CreditOffer credit={state.credit} onTake={keepFocus} />}
      {typeof state === 'object' && state.offeredSettings && (
        <SettingsOffer offered={state.offeredSettings} onTake={keepFocus} />
      )}
    </div>
  )
}

/** A credit is only adopted on a click: a file that is passed around could contain somebody else's. */
function CreditOffer({ credit, onTake }: Pick<ImportResult, 'credit'> & { onTake: () => void }) {
  const t = useTranslations('yourData')
  const own = useStore(creditIdStore)
  if (typeof credit !== 'object') return null
  // Whoever has only the file has the credit's key nowhere else.
  if ('otherId' in credit) return <CopyButton text={credit.otherId} label={t('creditCopy')} />
  const { offeredId } = credit
  return (
    <>
      <Status className={text.result}>
        {own === null && t('creditOffered', { segment: creditIdFirstSegment(offeredId) })}
        {own === offeredId && t('creditImported')}
      </Status>
      {own === null && (
        <Button
          variant="quiet"
          onClick={() => {
            onTake()
            creditIdStore.write(offeredId)
          }}
        >
          {t('creditTake')}
        </Button>
      )}
    </>
  )
}

/** For the same reason: a stranger's settings could have every question about money answered in advance. */
function SettingsOffer({ offered, onTake }: { offered: OfferedSettings; onTake: () => void }) {
  const t = useTranslations('yourData')
  const [isTaken, setTaken] = useState(false)
  async function take(): Promise<void> {
    onTake()
    const { takeSettings } = await import('@/lib/local/transfer/import-data')
    setTaken(takeSettings(guardedStorage, offered))
    // The stores of this tab hear of it as they do of another tab's writes.
    for (const key of Object.keys(offered)) window.dispatchEvent(new StorageEvent('storage', { key }))
  }
  return (
    <>
      <Status className={text.result}>{t(isTaken ? 'settingsImported' : 'settingsOffered')}</Status>
      {!isTaken && (
        <Button variant="quiet" onClick={() => void take()}>
          {t('settingsTake')}
        </Button>
      )}
    </>
  )
}

function ImportOutcome({ state }: { state: ImportState }) {
  const t = useTranslations('yourData')
  if (state === 'idle') return null
  if (state === 'running') return t('importing')
  if (state === 'unreadable') return t('importUnreadable')
  if (state === 'tooLarge') return t('importTooLarge')
  if (state === 'failed') return t('importFailed')
  return (
    <>
      {state.isKnown
        ? t('importKnown')
        : t('imported', { conversations: state.conversationCount, images: state.imageCount })}
      {state.documentCount > 0 && ` ${t('importedDocuments', { count: state.documentCount })}`}
      {state.skippedCount > 0 && ` ${t('importSkipped', { count: state.skippedCount })}`}
      {typeof state.credit === 'object' && 'otherId' in state.credit && ` ${t('creditKept')}`}
    </>
  )
}

/** Merges a file into this browser's data. */
async function importFile(file: File): Promise<ImportResult | ImportRefusal> {
  const { TRANSFER_BYTES_MAX, readExport } = await import('@/lib/local/transfer/read-export')
  const { importData } = await import('@/lib/local/transfer/import-data')
  if (file.size > TRANSFER_BYTES_MAX) return 'tooLarge'
  const read = readExport(await file.text())
  if (!read) return 'unreadable'
  const result = await importData({
    file: read,
    storage: guardedStorage,
    repository: conversations,
    archive,
    prompts: promptStore,
    openImages: openImageTable,
    openDocuments: openDocumentTable,
  })
  await historyStore.load()
  // They may be the first in this browser, and the list is rendered only once there are any.
  conversationDataStore.set(true)
  return result
}
