'use client'

import { CircleAlert, CircleCheck, Info, TriangleAlert, X } from 'lucide'
import { useTranslations } from 'next-intl'
import { type FocusEvent, useEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { Button } from '@/components/ui/button'
import { MAIN_ID } from '@/components/ui/focus'
import { Icon } from '@/components/ui/icon'
import { IconButton } from '@/components/ui/icon-button'
import { useRegionReady } from '@/components/ui/live-region'
import { useStore } from '@/components/ui/use-store'
import { type NoticeIcon, type NoticeState, noticeStore } from '@/lib/local/notice/notice-store'
import styles from './notice.module.css'

const ICONS: Readonly<Record<NoticeIcon, typeof Info>> = {
  info: Info,
  success: CircleCheck,
  warning: TriangleAlert,
  error: CircleAlert,
}

/** The page's one transient notice, shown through `noticeStore`. */
export function Notice() {
  const t = useTranslations('common')
  const notice = useStore(noticeStore)
  const dialog = useStore(openDialogStore)
  const holdWhileUsed = useNoticeTimer(notice, dialog)
  const { rememberFocus, giveFocusBack } = useBorrowedFocus()
  // The region is rendered with the first notice, and screen readers only announce later changes.
  const isReady = useRegionReady(notice.hidden)
  const { shownRef, isLow } = useOutOfTheWay(isReady && !notice.hidden)
  const region = (
    <div
      className={styles.region}
      data-in-dialog={dialog !== null}
      data-low={isLow || undefined}
      role="status"
      aria-live="polite"
      onFocus={rememberFocus}
    >
      {isReady && !notice.hidden && (
        <div ref={shownRef} className={styles.notice} data-icon={notice.icon} {...holdWhileUsed}>
          <Icon icon={ICONS[notice.icon]} size={20} className={styles.icon} />
          <p className={styles.text}>{notice.text}</p>
          {notice.action && (
            <Button
              variant="quiet"
              size="small"
              onClick={() => {
                giveFocusBack()
                notice.action?.run()
              }}
            >
              {notice.action.label}
            </Button>
          )}
          <IconButton
            size="small"
            label={t('close')}
            icon={<Icon icon={X} size={16} />}
            onClick={() => {
              giveFocusBack()
              noticeStore.hide()
            }}
          />
        </div>
      )}
    </div>
  )
  return dialog ? createPortal(region, dialog) : region
}

/** Moves the notice to the other end of the window if it would cover the element that has the focus. */
function useOutOfTheWay(isShown: boolean) {
  const shownRef = useRef<HTMLDivElement>(null)
  const [isLow, setLow] = useState(false)
  useEffect(() => {
    if (!isShown) return setLow(false)
    const moveIfCovering = () => {
      const shown = shownRef.current?.getBoundingClientRect()
      const focused = document.activeElement
      if (!shown || !focused || focused === document.body || shownRef.current?.contains(focused)) return
      const { x, y, width, height } = focused.getBoundingClientRect()
      const [middleX, middleY] = [x + width / 2, y + height / 2]
      const isInside = middleX > shown.left && middleX < shown.right
      if (isInside && middleY > shown.top && middleY < shown.bottom) setLow(before => !before)
    }
    // The browser first scrolls to the focused element.
    const moveAfterScroll = () => requestAnimationFrame(moveIfCovering)
    moveAfterScroll()
    document.addEventListener('focusin', moveAfterScroll)
    return () => document.removeEventListener('focusin', moveAfterScroll)
  }, [isShown])
  return { shownRef, isLow }
}

/** When a notice that has the focus disappears, the focus returns to where it was, or to the main content. */
function useBorrowedFocus() {
  const before = useRef<Element | null>(null)
  return {
    rememberFocus({ currentTarget, relatedTarget }: FocusEvent) {
      if (!currentTarget.contains(relatedTarget)) before.current = relatedTarget
    },
    giveFocusBack() {
      const isThere = before.current instanceof HTMLElement && before.current.isConnected
      const target = isThere ? before.current : document.getElementById(MAIN_ID)
      if (target instanceof HTMLElement) target.focus({ preventScroll: true })
    },
  }
}

/**
 * The open modal dialog; null if there is none. It makes everything outside inert, so a notice that is to be read and
 * used must be rendered inside.
 */
const openDialogStore = {
  subscribe(listener: () => void) {
    const observer = new MutationObserver(listener)
    observer.observe(document, { subtree: true, attributes: true, attributeFilter: ['open'] })
    return () => observer.disconnect()
  },
  getSnapshot: () => [...document.querySelectorAll('dialog[open]')].at(-1) ?? null,
  getServerSnapshot: () => null,
}

/** Long enough to notice it and read two lines; with an action, long enough to decide. */
const SHOWN_MS = 6_000
const SHOWN_WITH_ACTION_MS = 12_000
/** Longer texts stay longer: slow readers read about 16 characters a second. */
const SHOWN_PER_CHARACTER_MS = 60

/**
 * Hides the notice after a while: not while it has the focus, and later whenever a pointer moves over it or Tab is
 * pressed. The keyboard's way to it can be long, and what was deleted can be brought back only there.
 */
function useNoticeTimer(notice: NoticeState, dialog: Element | null) {
  const [isHeld, setHeld] = useState(false)
  const [moveCount, setMoveCount] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a move restarts the timer.
  useEffect(() => {
    if (notice.hidden || isHeld) return
    const least = notice.action ? SHOWN_WITH_ACTION_MS : SHOWN_MS
    const timer = setTimeout(noticeStore.hide, Math.max(least, notice.text.length * SHOWN_PER_CHARACTER_MS))
    const onKeyDown = ({ key }: KeyboardEvent) => key === 'Tab' && setMoveCount(count => count + 1)
    document.addEventListener('keydown', onKeyDown)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('keydown', onKeyDown)
    }
  }, [notice, isHeld, moveCount])
  // No blur event fires for an element that is removed while it has the focus: with the notice, or because the notice
  // leaves a dialog that has closed.
  if (notice.hidden && isHeld) setHeld(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is rendered anew wherever the dialog is
  useEffect(() => setHeld(false), [dialog])
  return {
    onPointerMove: () => setMoveCount(count => count + 1),
    onFocus: () => setHeld(true),
    onBlur: () => setHeld(false),
  }
}
