import { usePathname } from 'next/navigation'
import { useEffect, useLayoutEffect, useState } from 'react'
import { conversationIdOf } from '@/lib/i18n/chat-address'
import { conversationTitle } from '@/lib/local/conversations/conversation-text'
import type { Conversation } from '@/lib/local/domain/conversation'

interface PageTitleProps {
  conversation: Conversation | null
  appName: string
  siteTitle: string
}

/**
 * The title of the page is that of the conversation, for tabs and the browser's history only. The router announces a
 * title that it finds with a new address. That of a chat that begins waits until after that: it is what the person has
 * just written, and would be read in front of the answer.
 */
export function PageTitle({ conversation, appName, siteTitle }: PageTitleProps) {
  const pathname = usePathname()
  const [announcedId, setAnnouncedId] = useState<string | null>(null)
  useEffect(() => setAnnouncedId(conversationIdOf(pathname)), [pathname])
  const isAsked = conversation?.messages.at(-1)?.status === 'streaming'
  const waits = isAsked && announcedId !== conversation.id
  const name = conversation ? conversationTitle(conversation) : ''
  useLayoutEffect(() => {
    if (waits) return
    document.title = name === '' ? siteTitle : `${name} · ${appName}`
    if (name === '') return
    // The server's title for the page may arrive later.
    const observer = new MutationObserver(() => {
      if (document.title === siteTitle) document.title = `${name} · ${appName}`
    })
    observer.observe(document.head, { childList: true, subtree: true, characterData: true })
    return () => observer.disconnect()
  }, [waits, name, appName, siteTitle])
  return null
}
