'use client'

import { X } from 'lucide'
import { useTranslations } from 'next-intl'
import { type MouseEvent, type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import styles from './dialog.module.css'
import { focusAfterRender, hasCoarsePointer } from './focus'
import { Icon } from './icon'
import { IconButton } from './icon-button'

interface DialogProps {
  /** For the `aria-controls` of what opens it. */
  id?: string
  open: boolean
  /** Called for the close button, the Escape key and a click beside the dialog. */
  onClose: () => void
  /** The dialog's visible heading and accessible name. */
  title: string
  /** A drawer comes from the left and is as high as the window; a sheet is that on a phone, and scrolls inside. */
  look?: 'medium' | 'wide' | 'drawer' | 'sheet'
  /** The content is there while the dialog is closed, too: what is in a frame goes on. */
  keepsContent?: boolean
  children: ReactNode
}

const FIELDS = 'input:enabled, select:enabled, textarea:enabled'

/**
 * A modal on the native element: the browser keeps the focus inside, makes the rest inert and gives the
 * focus back to what had it. The first field has it at first, where it brings up no keyboard. The content exists only while the dialog is open, unless it is kept.
 */
export function Dialog({
  id,
  open,
  onClose,
  title,
  look = 'medium',
  keepsContent = false,
  children,
}: DialogProps) {
  const dialogRef = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  const t = useTranslations('common')

  // Closed before it is taken off the page: only then does the browser give the focus back.
  useLayoutEffect(() => {
    const dialog = dialogRef.current
    if (!dialog || !open) return
    dialog.showModal()
    const first = hasCoarsePointer() ? null : dialog.querySelector<HTMLElement>(FIELDS)
    first?.focus()
    return () => {
      dialog.close()
      // What opened it may have gone, too: a key that was revoked, a conversation that was deleted.
      focusAfterRender(':focus')
    }
  }, [open])

  // A next step, whose title is another one, has taken away what had the focus, and is read from its beginning.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the title tells one step from the next
  useLayoutEffect(() => {
    const dialog = dialogRef.current
    if (!open || !dialog || dialog.contains(document.activeElement)) return
    dialog.querySelector('h2')?.focus()
    dialog.scrollTop = 0
  }, [open, title])

  const closeOnBackdrop = (event: MouseEvent<HTMLDialogElement>) => {
    if (event.target === dialogRef.current) onClose()
  }

  return (
    <dialog
      ref={dialogRef}
      id={id}
      className={look === 'medium' ? styles.dialog : `${styles.dialog} ${styles[look]}`}
      data-look={look}
      aria-labelledby={titleId}
      onCancel={event => {
        event.preventDefault()
        onClose()
      }}
      onClick={closeOnBackdrop}
    >
      {(open || keepsContent) && (
        <>
          <div className={styles.head}>
            <h2 id={titleId} tabIndex={-1} className={styles.title}>
              {title}
            </h2>
            <IconButton label={t('close')} icon={<Icon icon={X} size={20} />} onClick={onClose} />
          </div>
          <div className={styles.body}>{children}</div>
        </>
      )}
    </dialog>
  )
}
