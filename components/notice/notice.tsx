'use client'

import { CircleAlert, CircleCheck, Info, TriangleAlert, X } from 'lucide'
import { useTranslations } from 'next-intl'
import { useEffect, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Icon } from '@/components/ui/icon'
import { IconButton } from '@/components/ui/icon-button'
import { useStore } from '@/components/ui/use-store'
import { type NoticeIcon, noticeStore } from '@/lib/local/notice/notice-store'
import styles from './notice.module.css'
import { useNoticeTimer } from './use-notice-timer'

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
