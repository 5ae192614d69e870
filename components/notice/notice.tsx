'use client'

import { CircleAlert, CircleCheck, Info, TriangleAlert, X } from 'lucide'
import { useTranslations } from 'next-intl'
import { useEffect, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Icon } from '@/components/ui/icon'
import { IconButton } from '@/components/ui/icon-button'
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
  const holdWhileUsed = useNoticeTimer(notice)
  // The region must stand on the page before its first text: screen readers announce only changes.
  const [isStanding, setStanding] = useState(false)
  useEffect(() => setStanding(true), [])
  return (
    <div className={styles.region} role="status" aria-live="polite">
      {isStanding && !notice.hidden && (
        <div className={styles.notice} data-icon={notice.icon} {...holdWhileUsed}>
          <Icon icon={ICONS[notice.icon]} size={20} className={styles.icon} />
          <p className={styles.text}>{notice.text}</p>
          {notice.action && (
            <Button variant="quiet" size="small" onClick={notice.action.run}>
              {notice.action.label}
            </Button>
          )}
          <IconButton
            size="small"
            label={t('close')}
            icon={<Icon icon={X} size={16} />}
            onClick={noticeStore.hide}
          />
        </div>
      )}
    </div>
  )
}

/** Long enough to read two lines; with something to do, long enough to decide. */
const SHOWN_MS = 6_000
const SHOWN_WITH_ACTION_MS = 12_000

/** Hides the notice after a while, but not while it is pointed at or has the focus. */
function useNoticeTimer(notice: NoticeState) {
  const [isHeld, setHeld] = useState(false)
  useEffect(() => {
    if (notice.hidden || isHeld) return
    const timer = setTimeout(noticeStore.hide, notice.action ? SHOWN_WITH_ACTION_MS : SHOWN_MS)
    return () => clearTimeout(timer)
  }, [notice, isHeld])
  const hold = () => setHeld(true)
  const letGo = () => setHeld(false)
  return { onPointerEnter: hold, onPointerLeave: letGo, onFocus: hold, onBlur: letGo }
}
