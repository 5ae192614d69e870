import { usePathname } from 'next/navigation'
import { useEffect, useLayoutEffect, useState } from 'react'
import { conversationDataStore } from '@/components/shell/conversation-data'
import { useStore } from '@/components/ui/use-store'
import { conversationIdOf } from '@/lib/i18n/chat-address'
import type { Conversation } from '@/lib/local/domain/conversation'
import { createExternalStore } from '@/lib/local/storage/external-store'

type TitleOf = (conversation: Conversation) => string

/** What makes a title of a question's Markdown. A first visitor has none, and does not load it. */
const titleOfStore = createExternalStore<TitleOf | null>(null)

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
  const titleOf = useStore(titleOfStore)
  const name = conversation && titleOf ? titleOf(conversation) : ''
  // Before one is opened, since the router announces the title that it finds then.
  const isWanted = useStore(conversationDataStore) || conversation !== null
  useEffect(() => {
    if (!isWanted) return
    import('@/lib/local/conversations/conversation-text').then(
      ({ conversationTitle }) => titleOfStore.set(conversationTitle),
      () => undefined,
    )
  }, [isWanted])
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
