'use client'

import { useTranslations } from 'next-intl'
import { MAIN_ID, MESSAGE_BOX_ID } from '@/components/ui/focus'
import { isChatAddress } from '@/lib/i18n/chat-address'
import { usePathname } from '@/lib/i18n/navigation'
import styles from './skip-link.module.css'

/** The first element that Tab reaches: skips the controls that every page has. */
export function SkipLink() {
  const t = useTranslations('shell')
  const isChat = isChatAddress(usePathname())
  const id = isChat ? MESSAGE_BOX_ID : MAIN_ID
  return (
    <a
      href={`#${id}`}
      className={styles.skip}
      onClick={event => {
        const target = document.getElementById(id)
        if (!target) return
        // Keeps the address, whose fragment would not name a place within the conversation.
        event.preventDefault()
        target.focus()
      }}
    >
      {t(isChat ? 'skipToMessage' : 'skipToContent')}
    </a>
  )
}
