import { useEffect, useState } from 'react'
import { type NoticeState, noticeStore } from '@/lib/local/notice/notice-store'

/** Long enough to read two lines; with something to do, long enough to decide. */
const SHOWN_MS = 6_000
const SHOWN_WITH_ACTION_MS = 12_000

/** Hides the notice after a while, but not while it is pointed at or has the focus. */
export function useNoticeTimer(notice: NoticeState) {
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
