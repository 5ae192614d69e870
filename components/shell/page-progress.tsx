'use client'

import { usePathname } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { useEffect, useState } from 'react'
import { PATIENCE_MS } from '@/components/ui/lazy-part'
import { LiveRegion } from '@/components/ui/live-region'
import { isChatAddress } from '@/lib/i18n/chat-address'
import styles from './page-progress.module.css'

/** Announces a page that takes more than a moment to load. */
export function PageProgress() {
  const t = useTranslations('common')
  const pathname = usePathname()
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const onClick = ({ target, defaultPrevented }: MouseEvent) => {
      const link = target instanceof Element ? target.closest('a') : null
      // A link that the router has not handled is opened by the browser, perhaps in another tab.
      if (!link || !defaultPrevented) return
      clearTimeout(timer)
      setLate(false)
      const isInChat = isChatAddress(pathname) && isChatAddress(link.pathname)
      if (link.pathname !== pathname && !isInChat) timer = setTimeout(() => setLate(true), PATIENCE_MS)
    }
    window.addEventListener('click', onClick)
    return () => {
      window.removeEventListener('click', onClick)
      clearTimeout(timer)
      setLate(false)
    }
  }, [pathname])
  return (
    <>
      <LiveRegion>{isLate && t('loading')}</LiveRegion>
      {isLate && <div className={styles.progress} />}
    </>
  )
}
