import { useTranslations } from 'next-intl'
import { type DragEvent, useCallback, useLayoutEffect, useRef } from 'react'
import { noticeStore } from '@/lib/local/notice/notice-store'
import type { Draft } from './draft-store'
import { keepPicture } from './pictures'

/** As many as common models take in one message, and few enough to stay affordable. */
const PICTURE_COUNT_MAX = 4

/** Pictures by paste, drop or choice: made small, put into the image store, named in the draft. */
export function useAttachPictures(draft: Draft, onDraft: (draft: Draft) => void, isPossible: boolean) {
  const t = useTranslations('chat')
  // Making a picture small takes a moment, in which the draft may have moved on.
  const latest = useRef(draft)
  useLayoutEffect(() => {
    latest.current = draft
  }, [draft])

  const add = useCallback(
    async (files: readonly File[]) => {
      if (!isPossible) return noticeStore.show('warning', t('picturesNotTaken'))
      const { shrinkPicture } = await import('./shrink-picture')
      for (const file of files) {
        if (latest.current.pictureUrls.length >= PICTURE_COUNT_MAX) {
          return noticeStore.show('warning', t('picturesTooMany', { count: PICTURE_COUNT_MAX }))
        }
        const dataUrl = await shrinkPicture(file)
        if (dataUrl === null) {
          noticeStore.show('warning', t('pictureUnreadable', { name: file.name }))
          continue
        }
        const url = await keepPicture(dataUrl, new Date().toISOString())
        latest.current = { ...latest.current, pictureUrls: [...latest.current.pictureUrls, url] }
        onDraft(latest.current)
      }
    },
    [isPossible, onDraft, t],
  )

  return {
    add: (files: readonly File[]) => void add(files),
    dropTarget: {
      onDragOver: (event: DragEvent) => {
        if (event.dataTransfer.types.includes('Files')) event.preventDefault()
      },
      onDrop: (event: DragEvent) => {
        if (event.dataTransfer.files.length === 0) return
        event.preventDefault()
        void add([...event.dataTransfer.files])
      },
    },
  }
}
