import { useTranslations } from 'next-intl'
import { useRef, useState } from 'react'
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

/** A file that is being read, or waits for its turn. */
export interface FileReading {
  readonly id: string
  readonly draftId: string
  readonly file: File
  readonly name: string
  readonly isPicture: boolean
  readonly signal: AbortSignal
  readonly cancel: () => void
}

/**
 * Attaches pictures and documents by paste, drop or file dialog: scales or reads them, stores them in this browser, and
 * adds them to the draft of the conversation that they were meant for, even if another one is shown by then.
 */
export function useAttachFiles(draftId: string, model: ChatModel | null) {
  const t = useTranslations('chat')
  const errorText = useErrorText()
  const [readings, setReadings] = useState<readonly FileReading[]>([])
  const turn = useRef<Promise<void>>(Promise.resolve())
  const warn = (text: string) => void noticeStore.show('warning', text)
  const end = (ended: FileReading) => setReadings(current => current.filter(({ id }) => id !== ended.id))

  function readingOf(file: File): FileReading {
    const abort = new AbortController()
    const reading: FileReading = {
      id: createUuid(),
      draftId,
      file,
      name: safeDocumentName(file.name),
      isPicture: isPicture(file),
      signal: abort.signal,
      // At once, since what reads or stores it may never answer.
      cancel() {
        abort.abort()
        end(reading)
      },
    }
    return reading
  }

  /** Returns why the file could not be attached; so does `addDocument`. */
  async function addPicture({ file, signal }: FileReading): Promise<string | undefined> {
    const { name } = file
    if (draftStore.get(draftId).pictureUrls.length >= PICTURE_COUNT_MAX) {
      return t('picturesTooMany', { count: PICTURE_COUNT_MAX })
    }
    if (file.size > PICTURE_BYTES_MAX) {
      return t('documentFaults.tooLarge', { name, size: PICTURE_BYTES_MAX / BYTES_PER_MEGABYTE })
    }
    const { attachPicture } = await import('./attach-picture')
    const url = await attachPicture(file, new Date())
    if (signal.aborted) return
    if (url === null) return t('pictureUnreadable', { name })
    const draft = draftStore.get(draftId)
    draftStore.set(draftId, { ...draft, pictureUrls: [...draft.pictureUrls, url] })
  }

  async function addDocument({ file, name, signal }: FileReading): Promise<string | undefined> {
    if (draftStore.get(draftId).documents.length >= DOCUMENT_COUNT_MAX) {
      return t('documentsTooMany', { count: DOCUMENT_COUNT_MAX })
    }
    const { attachDocument } = await import('./attach-document')
    const attached = await attachDocument(file, new Date(), signal)
    if (attached === 'cancelled') return
    if (attached === 'full') storageFullStore.open()
    if (attached === 'unloaded') throw new Error(attached)
    if (typeof attached === 'string') {
      return t(`documentFaults.${attached}`, { name, size: FILE_BYTES_MAX / BYTES_PER_MEGABYTE })
    }
    const draft = draftStore.get(draftId)
    draftStore.set(draftId, { ...draft, documents: [...draft.documents, attached] })
  }

  function inOneNotice(faults: ReadonlySet<string>): string {
    const shown = [...faults].slice(0, FAULTS_SHOWN_MAX)
    const count = faults.size - shown.length
    return [...shown, ...(count > 0 ? [t('attachFaultsMore', { count })] : [])].join(' ')
  }

  function add(files: readonly File[]): void {
    if (model?.draws) {
      warn(t('wordsOnly'))
      return
    }
    // All of them, or the message could be sent without those that are not attached yet.
    const waiting = files.map(readingOf)
    setReadings(current => [...current, ...waiting])
    readInTurn(waiting)
  }

  /** After those that were added before: both at once could be more than a message can carry. */
  function readInTurn(waiting: FileReading[]): void {
    turn.current = turn.current.then(() => read(waiting))
  }

  async function read(waiting: FileReading[]): Promise<void> {
    const faults = new Set<string>()
    try {
      for (const reading of [...waiting]) {
        if (!reading.signal.aborted) {
          const adding = reading.isPicture ? addPicture(reading) : addDocument(reading)
          const fault = await Promise.race([adding, untilAborted(reading.signal)])
          // There is only one notice, so the next file's problem is added to this one.
          if (fault) warn(inOneNotice(faults.add(fault)))
        }
        waiting.shift()
        end(reading)
      }
    } catch {
      // Only loading the code that reads files can throw here.
      if (navigator.onLine) {
        waiting.forEach(end)
        return warn(errorText('part_missing'))
      }
      warn(t('attachLater', { count: waiting.length }))
      window.addEventListener('online', () => readInTurn(waiting), { once: true })
    }
  }

  return {
    add,
    readings: readings.filter(reading => reading.draftId === draftId),
  }
}

function untilAborted(signal: AbortSignal): Promise<undefined> {
  return new Promise(resolve => signal.addEventListener('abort', () => resolve(undefined)))
}

/** An SVG drawing is text, and is read as such. */
function isPicture({ type }: File): boolean {
  return type.startsWith('image/') && type !== 'image/svg+xml'
}
