import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { useErrorText } from '@/components/shell/use-error-text'
import {
  BYTES_PER_MEGABYTE,
  DOCUMENT_COUNT_MAX,
  FILE_BYTES_MAX,
} from '@/lib/documents/domain/document-limits'
import { safeDocumentName } from '@/lib/documents/domain/document-name'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { storageFullStore } from '@/lib/local/storage/storage-full-store'
import { createUuid } from '@/lib/local/uuid'
import type { ChatModel } from './chat-model'
import { draftStore } from './draft-store'

/** As many as common models accept in one message, and few enough to be affordable. */
const PICTURE_COUNT_MAX = 4

/** Larger files are no photographs, and decoding them could crash the page. */
const PICTURE_BYTES_MAX = 30 * BYTES_PER_MEGABYTE
/** As many sentences as can be read at once. */
const FAULTS_SHOWN_MAX = 4

/** A document that is being read. */
export interface DocumentReading {
  readonly id: string
  readonly draftId: string
  readonly name: string
  readonly cancel: () => void
}

/**
 * Attaches pictures and documents by paste, drop or file dialog: scales or reads them, stores them in this browser, and
 * adds them to the draft of the conversation that they were meant for, even if another one is shown by then.
 */
export function useAttachFiles(draftId: string, model: ChatModel | null) {
  const t = useTranslations('chat')
  const errorText = useErrorText()
  const [readings, setReadings] = useState<readonly DocumentReading[]>([])
  const warn = (text: string) => noticeStore.show('warning', text)

  /** Returns why the file could not be attached; so does `addDocument`. */
  async function addPicture(file: File): Promise<string | undefined> {
    const { name } = file
    if (draftStore.get(draftId).pictureUrls.length >= PICTURE_COUNT_MAX) {
      return t('picturesTooMany', { count: PICTURE_COUNT_MAX })
    }
    if (file.size > PICTURE_BYTES_MAX) {
      return t('documentFaults.tooLarge', { name, size: PICTURE_BYTES_MAX / BYTES_PER_MEGABYTE })
    }
    const { attachPicture } = await import('./attach-picture')
    const url = await attachPicture(file, new Date())
    if (url === null) return t('pictureUnreadable', { name })
    const draft = draftStore.get(draftId)
    draftStore.set(draftId, { ...draft, pictureUrls: [...draft.pictureUrls, url] })
  }

  async function addDocument(file: File): Promise<string | undefined> {
    if (draftStore.get(draftId).documents.length >= DOCUMENT_COUNT_MAX) {
      return t('documentsTooMany', { count: DOCUMENT_COUNT_MAX })
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
        if (attached === 'cancelled') return
        return t(`documentFaults.${attached}`, { name, size: FILE_BYTES_MAX / BYTES_PER_MEGABYTE })
      }
      const draft = draftStore.get(draftId)
      draftStore.set(draftId, { ...draft, documents: [...draft.documents, attached] })
    } finally {
      setReadings(current => current.filter(({ id }) => id !== reading.id))
    }
  }

  function inOneNotice(faults: ReadonlySet<string>): string {
    const shown = [...faults].slice(0, FAULTS_SHOWN_MAX)
    const count = faults.size - shown.length
    return [...shown, ...(count > 0 ? [t('attachFaultsMore', { count })] : [])].join(' ')
  }

  async function add(files: readonly File[]): Promise<void> {
    if (model?.draws) return warn(t('wordsOnly'))
    const waiting = [...files]
    const faults = new Set<string>()
    try {
      for (const file of files) {
        const fault = await (isPicture(file) ? addPicture(file) : addDocument(file))
        // There is only one notice, so the next file's problem is added to this one.
        if (fault) warn(inOneNotice(faults.add(fault)))
        waiting.shift()
      }
    } catch {
      // Only loading the code that reads files can throw here.
      if (navigator.onLine) return warn(errorText('part_missing'))
      warn(t('attachLater', { count: waiting.length }))
      window.addEventListener('online', () => void add(waiting), { once: true })
    }
  }

  return {
    add: (files: readonly File[]) => void add(files),
    readings: readings.filter(reading => reading.draftId === draftId),
  }
}

/** An SVG drawing is text, and is read as such. */
function isPicture({ type }: File): boolean {
  return type.startsWith('image/') && type !== 'image/svg+xml'
}
