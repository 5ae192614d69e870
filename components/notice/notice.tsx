'use client'

import { CircleAlert, CircleCheck, Info, TriangleAlert, X } from 'lucide'
import { useTranslations } from 'next-intl'
import { type FocusEvent, useEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { Button } from '@/components/ui/button'
import { MAIN_ID } from '@/components/ui/focus'
import { Icon } from '@/components/ui/icon'
import { IconButton } from '@/components/ui/icon-button'
import { useKnownRegion } from '@/components/ui/live-region'
import { useStore } from '@/components/ui/use-store'
import { type NoticeIcon, type NoticeState, noticeStore } from '@/lib/local/notice/notice-store'
import styles from './notice.module.css'

const ICONS: Readonly<Record<NoticeIcon, typeof Info>> = {
  info: Info,
  success: CircleCheck,
  warning: TriangleAlert,
  error: CircleAlert,
}

/** The one transient notice of the page; anybody shows one through `noticeStore`. */
export function Notice() {
  const t = useTranslations('common')
  const notice = useStore(noticeStore)
  const dialog = useStore(openDialogStore)
  const holdWhileUsed = useNoticeTimer(notice)
  const { rememberFocus, giveFocusBack } = useBorrowedFocus()
  // It arrives with the first notice, whose words a screen reader would not take for a change.
  const isKnown = useKnownRegion(notice.hidden)
  const { shownRef, isLow } = useOutOfTheWay(isKnown && !notice.hidden)
  const region = (
    <div
      className={styles.region}
      data-in-dialog={dialog !== null}
      data-low={isLow || undefined}
      role="status"
      aria-live="polite"
      onFocus={rememberFocus}
    >
      {isKnown && !notice.hidden && (
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

/** Whoever goes through the page by keyboard comes below it: then it stands at the other end of the window. */
function useOutOfTheWay(isShown: boolean) {
  const shownRef = useRef<HTMLDivElement>(null)
  const [isLow, setLow] = useState(false)
  useEffect(() => {
    if (!isShown) return setLow(false)
    const look = () => {
      const shown = shownRef.current?.getBoundingClientRect()
      const focused = document.activeElement
      if (!shown || !focused || focused === document.body || shownRef.current?.contains(focused)) return
      const { x, y, width, height } = focused.getBoundingClientRect()
      const [middleX, middleY] = [x + width / 2, y + height / 2]
      const isInside = middleX > shown.left && middleX < shown.right
      if (isInside && middleY > shown.top && middleY < shown.bottom) setLow(before => !before)
    }
    // What has the focus is scrolled to first.
    const lookLater = () => requestAnimationFrame(look)
    lookLater()
    document.addEventListener('focusin', lookLater)
    return () => document.removeEventListener('focusin', lookLater)
  }, [isShown])
  return { shownRef, isLow }
}

/** The focus goes with the notice that has it: back to what had it before, or to the page's main part. */
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
 * The modal that is open, null without one. It makes everything outside of it inert, whatever lies on top:
 * what is to be read and used meanwhile has to stand inside.
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

/** Long enough to find it and read two lines; with something to do, long enough to decide. */
const SHOWN_MS = 6_000
const SHOWN_WITH_ACTION_MS = 12_000
/** More lines take longer: slow readers read about 16 characters a second. */
const SHOWN_PER_CHARACTER_MS = 60

/** Hides the notice after a while: while it has the focus not at all, and later whenever a pointer moves over it. */
function useNoticeTimer(notice: NoticeState) {
  const [isHeld, setHeld] = useState(false)
  const [moveCount, setMoveCount] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a move begins the time anew.
  useEffect(() => {
    if (notice.hidden || isHeld) return
    const least = notice.action ? SHOWN_WITH_ACTION_MS : SHOWN_MS
    const timer = setTimeout(noticeStore.hide, Math.max(least, notice.text.length * SHOWN_PER_CHARACTER_MS))
    return () => clearTimeout(timer)
  }, [notice, isHeld, moveCount])
  // The focus that goes with the notice is never told to have left it.
  if (notice.hidden && isHeld) setHeld(false)
  return {
    onPointerMove: () => setMoveCount(count => count + 1),
    onFocus: () => setHeld(true),
    onBlur: () => setHeld(false),
  }
}
