'use client'

import { X } from 'lucide'
import { useTranslations } from 'next-intl'
import { type KeyboardEvent, type MouseEvent, type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import styles from './dialog.module.css'
import { focusAfterRender, hasCoarsePointer } from './focus'
import { Icon } from './icon'
import { IconButton } from './icon-button'
import { isComposing } from './is-composing'

interface DialogProps {
  /** For the `aria-controls` of the element that opens it. */
  id?: string
  open: boolean
  /** Called for the close button, the Escape key, a click outside the dialog and the browser's way back. */
  onClose: () => void
  /** The dialog's visible heading and accessible name. */
  title: string
  /**
   * A drawer comes from the left and is as high as the window. A sheet is full-height on a phone, and scrolls inside.
   */
  look?: 'medium' | 'wide' | 'drawer' | 'sheet'
  /** Keeps the content mounted while the dialog is closed, so that a frame in it continues. */
  keepsContent?: boolean
  children: ReactNode
}

const FIELDS = 'input:enabled, select:enabled, textarea:enabled'

/**
 * A modal on the native element: the browser keeps the focus inside, makes the rest inert, and returns the focus on
 * closing. At first the focus is on the first field, unless that would open an on-screen keyboard or is not in sight.
 * The content is mounted only while the dialog is open, unless `keepsContent` is set.
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

  // Closed before it is removed: only then does the browser return the focus.
  useLayoutEffect(() => {
    const dialog = dialogRef.current
    if (!dialog || !open) return
    dialog.showModal()
    const first = hasCoarsePointer() ? null : dialog.querySelector<HTMLElement>(FIELDS)
    first?.focus()
    // What is above the field would be scrolled away unread.
    if (dialog.scrollTop > 0) {
      dialog.querySelector('h2')?.focus()
      dialog.scrollTop = 0
    }
    // Otherwise it would stay open over the page before. Not by an effect of `onClose`: the router renders first, and
    // a listener that is replaced meanwhile is not called.
    const leave = () => dialog.dispatchEvent(new Event('cancel', { cancelable: true }))
    window.addEventListener('popstate', leave)
    return () => {
      window.removeEventListener('popstate', leave)
      dialog.close()
      // The element that opened it may be gone, such as a revoked key or a deleted conversation.
      focusAfterRender(':focus')
    }
  }, [open])

  // A next step, recognised by another title, may have removed the focused element, and is read from its top.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each step has its own title
  useLayoutEffect(() => {
    const dialog = dialogRef.current
    if (!open || !dialog || dialog.contains(document.activeElement)) return
    dialog.querySelector('h2')?.focus()
    dialog.scrollTop = 0
  }, [open, title])

  // Whoever selects text and lets go outside has clicked on the dialog itself, too, as far as browsers tell.
  const pressed = useRef<EventTarget>(null)
  const closeOnBackdrop = ({ target, currentTarget }: MouseEvent<HTMLDialogElement>) => {
    if (target === currentTarget && pressed.current === target) onClose()
  }

  // In Safari a search field takes Escape even if there is nothing in it to clear.
  const closeFromSearch = (event: KeyboardEvent<HTMLDialogElement>) => {
    const { target } = event
    if (event.key !== 'Escape' || event.defaultPrevented || isComposing(event.nativeEvent)) return
    if (!(target instanceof HTMLInputElement) || target.type !== 'search' || target.value !== '') return
    event.preventDefault()
    onClose()
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
      onPointerDown={({ target }) => {
        pressed.current = target
      }}
      onClick={closeOnBackdrop}
      onKeyDown={closeFromSearch}
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
