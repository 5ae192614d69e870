import { useEffect } from 'react'
import { useStore } from '@/components/ui/use-store'
import { noticeStore } from '@/lib/local/notice/notice-store'
import styles from './notice.module.css'

/** Long enough for the longest sentence: nobody can close it. */
const SHOWN_MS = 12_000

/** The words of a notice, for a page that has lost the network before its first one and cannot fetch the rest. */
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
