import { ChevronLeft, ChevronRight, X } from 'lucide'
import { useTranslations } from 'next-intl'
import { type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react'
import { Icon } from '@/components/ui/icon'
import { IconButton } from '@/components/ui/icon-button'
import styles from './picture-viewer.module.css'

/** A picture for the viewer. */
export interface ShownPicture {
  readonly src: string
  readonly alt: string
}

interface PictureViewerProps {
  pictures: readonly ShownPicture[]
  firstSrc: string
  onClose: () => void
}

/** Shows one picture in the whole window. Escape or a tap closes it; the browser can zoom further. */
export function PictureViewer({ pictures, firstSrc, onClose }: PictureViewerProps) {
  const t = useTranslations('chat')
  const common = useTranslations('common')
  const dialogRef = useRef<HTMLDialogElement>(null)
  const [index, setIndex] = useState(() => pictures.findIndex(({ src }) => src === firstSrc))
  const picture = pictures[index]
  const count = pictures.length
  // Closed before it is removed: only then does the browser return the focus.
  useLayoutEffect(() => {
    const dialog = dialogRef.current
    dialog?.showModal()
    return () => dialog?.close()
  }, [])

  const show = (next: number) => setIndex((next + count) % count)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowLeft') show(index - 1)
    if (event.key === 'ArrowRight') show(index + 1)
  }
  const label = count > 1 ? t('pictureOf', { number: index + 1, count }) : picture?.alt || t('picture')
  return (
    <dialog
      ref={dialogRef}
      className={styles.viewer}
      aria-label={label}
      onCancel={event => {
        event.preventDefault()
        onClose()
      }}
      onClick={onClose}
      onKeyDown={onKeyDown}
    >
      <picture className={styles.frame}>
        <img className={styles.picture} src={picture?.src} alt={picture?.alt} />
      </picture>
      <div className={styles.close}>
        <IconButton label={common('close')} icon={<Icon icon={X} size={20} />} onClick={onClose} />
      </div>
      {count > 1 && (
        <div className={styles.turn}>
          <IconButton
            label={t('previousPicture')}
            icon={<Icon icon={ChevronLeft} size={20} />}
            onClick={event => {
              event.stopPropagation()
              show(index - 1)
            }}
          />
          <span className={styles.number} aria-live="polite">
            {label}
          </span>
          <IconButton
            label={t('nextPicture')}
            icon={<Icon icon={ChevronRight} size={20} />}
            onClick={event => {
              event.stopPropagation()
              show(index + 1)
            }}
          />
        </div>
      )}
    </dialog>
  )
}
