import { useEffect } from 'react'
import { useStore } from '@/components/ui/use-store'
import { noticeStore } from '@/lib/local/notice/notice-store'
import styles from './notice.module.css'

/** Long enough for the longest sentence, since it has no close button. */
const SHOWN_MS = 12_000

/** A notice as plain text, for a page that went offline before its first notice and cannot load the full component. */
export function PlainNotice() {
  const notice = useStore(noticeStore)
  useEffect(() => {
    if (notice.hidden) return
    const timer = setTimeout(noticeStore.hide, SHOWN_MS)
    return () => clearTimeout(timer)
  }, [notice])
  if (notice.hidden) return null
  return (
    <div className={styles.region} role="alert">
      <p className={styles.notice}>{notice.text}</p>
    </div>
  )
}
