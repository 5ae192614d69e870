import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { useErrorText } from '@/components/shell/use-error-text'
import { DOCUMENT_COUNT_MAX } from '@/lib/documents/domain/document-limits'
import { safeDocumentName } from '@/lib/documents/domain/document-name'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { storageFullStore } from '@/lib/local/storage/storage-full-store'
import { createUuid } from '@/lib/local/uuid'
import type { ChatModel } from './chat-model'
import { draftStore } from './draft-store'

/** As many as common models take in one message, and few enough to stay affordable. */
const PICTURE_COUNT_MAX = 4

/** A document that is being read. */
export interface DocumentReading {
  readonly id: string
  readonly draftId: string
  readonly name: string
  readonly cancel: () => void
}

/**
 * Pictures and documents by paste, drop or choice: made small or read, stored in this browser, named in
 * the draft of the conversation that they were given to, whatever is on the screen by then.
 */
export function useAttachFiles(draftId: string, model: ChatModel | null) {
  const t = useTranslations('chat')
  const errorText = useErrorText()
  const [readings, setReadings] = useState<readonly DocumentReading[]>([])
  const warn = (text: string) => noticeStore.show('warning', text)

  async function addPicture(file: File): Promise<void> {
    if (draftStore.get(draftId).pictureUrls.length >= PICTURE_COUNT_MAX) {
      return warn(t('picturesTooMany', { count: PICTURE_COUNT_MAX }))
    }
    const { attachPicture } = await import('./attach-picture')
    const url = await attachPicture(file, new Date())
    if (url === null) return warn(t('pictureUnreadable', { name: file.name }))
    const draft = draftStore.get(draftId)
    draftStore.set(draftId, { ...draft, pictureUrls: [...draft.pictureUrls, url] })
  }

  async function addDocument(file: File): Promise<void> {
    if (draftStore.get(draftId).documents.length >= DOCUMENT_COUNT_MAX) {
      return warn(t('documentsTooMany', { count: DOCUMENT_COUNT_MAX }))
    }
    const name = safeDocumentName(file.name)
    const abort = new AbortController()
    const reading: DocumentReading = { id: createUuid(), draftId, name, cancel: () => abort.abort() }
    setReadings(current => [...current, reading])
    try {
      const { attachDocument } = await import('./attach-document')
      const attached = await attachDocument(file, new Date(), abort.signal)
      if (attached === 'full') storageFullStore.open()
      if (attached === 'unloaded') throw new Error(attached)
      if (typeof attached === 'string') {
        if (attached !== 'cancelled') warn(t(`documentFaults.${attached}`, { name }))
        return
      }
      const draft = draftStore.get(draftId)
      draftStore.set(draftId, { ...draft, documents: [...draft.documents, attached] })
    } finally {
      setReadings(current => current.filter(({ id }) => id !== reading.id))
    }
  }

  async function add(files: readonly File[]): Promise<void> {
    if (model?.draws) return warn(t('wordsOnly'))
    const waiting = [...files]
    try {
      for (const file of files) {
        await (isPicture(file) ? addPicture(file) : addDocument(file))
        waiting.shift()
      }
    } catch {
      // Nothing above throws but what fetches the code that reads the files.
      if (navigator.onLine) return warn(errorText('network'))
      warn(t('attachLater', { count: waiting.length }))
      window.addEventListener('online', () => void add(waiting), { once: true })
    }
  }

  return {
    add: (files: readonly File[]) => void add(files),
    readings: readings.filter(reading => reading.draftId === draftId),
  }
}

/** A drawing in SVG is text, and is read as such. */
function isPicture({ type }: File): boolean {
  return type.startsWith('image/') && type !== 'image/svg+xml'
}
