'use client'

import { useLocale, useTranslations } from 'next-intl'
import { useEffect, useEffectEvent } from 'react'
import { conversationDataStore } from '@/components/shell/conversation-data'
import { useStore } from '@/components/ui/use-store'
import { chatAddress, isChatAddress, NEEDS_NETWORK } from '@/lib/i18n/chat-address'
import { usePathname } from '@/lib/i18n/navigation'
import { creditIdStore } from '@/lib/local/credit-id'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { whenIdle } from '@/lib/local/when-idle'

const BEGIN_WITHIN_MS = 10_000

/** The new version that was offered last. A person who has dismissed the offer is not asked again by this page. */
let offered: ServiceWorker | null = null

/**
 * Registers the service worker once the page is idle, and offers new versions; not in development. If the worker could
 * not fetch a page and showed the chat instead, explains that.
 */
export function OfflineSupport() {
  const t = useTranslations('shell')
  const language = useLocale()
  const isChat = isChatAddress(usePathname())
  const hasConversations = useStore(conversationDataStore)

  useEffect(() => {
    const { hash, pathname, search } = window.location
    if (hash !== NEEDS_NETWORK) return
    window.history.replaceState(window.history.state, '', pathname + search)
    noticeStore.show('info', t('needsNetwork'))
  }, [t])

  // A new version waits for the person's consent: a page must not mix parts of two versions.
  const offer = useEffectEvent((waiting: ServiceWorker) => {
    if (waiting === offered) return
    offered = waiting
    noticeStore.show('info', t('newVersion'), {
      label: t('reload'),
      run() {
        const reload = () => window.location.reload()
        navigator.serviceWorker.addEventListener('controllerchange', reload, { once: true })
        waiting.postMessage({ takeOver: true })
      },
    })
  })

  useEffect(() => {
    const listening = new AbortController()
    const { signal } = listening
    const cancel = whenReady(async () => {
      const { serviceWorker } = navigator
      const registration = await serviceWorker.register('/sw.js', { scope: '/', updateViaCache: 'none' })
      // The first version replaces none. In Safari it may be the page's controller before it is said to be installed.
      if (registration.waiting && registration.active) offer(registration.waiting)
      const onFound = () => {
        const { installing } = registration
        const onChange = () => {
          if (installing?.state === 'installed' && registration.active) offer(installing)
        }
        installing?.addEventListener('statechange', onChange, { signal })
      }
      registration.addEventListener('updatefound', onFound, { signal })
    })
    return () => {
      cancel()
      listening.abort()
    }
  }, [])

  useEffect(
    () =>
      whenReady(async () => {
        const { active } = await navigator.serviceWorker.ready
        // A person with a credit can ask, and is answered once the network is back.
        if (hasConversations || creditIdStore.getSnapshot() !== null) await fetchLaterParts()
        // Resources that loaded before the worker could see them, among them parts of the chat that must work offline.
        const files = performance.getEntriesByType('resource').map(({ name }) => name)
        if (isChat)
          active?.postMessage({ path: chatAddress(window.location.pathname, null), language, files })
      }),
    [language, isChat, hasConversations],
  )

  return null
}

/** Runs a task once the page is idle, where workers are wanted. Returns how to cancel it. */
function whenReady(task: () => Promise<void>): () => void {
  if (process.env.NODE_ENV !== 'production' || !('serviceWorker' in navigator)) return () => undefined
  // Registration is refused in private windows and over plain HTTP; then nothing works offline.
  return whenIdle(() => void task().catch(() => undefined), BEGIN_WITHIN_MS)
}

/**
 * Loads the parts of the chat that normally come on demand. Offline, history must be readable and questions must queue,
 * and one missing part would break the whole page.
 */
async function fetchLaterParts(): Promise<void> {
  await Promise.allSettled([
    import('@/components/chat/ask-question'),
    import('@/components/chat/conversation-list'),
    import('@/components/chat/draft-documents'),
    import('@/components/chat/draft-pictures'),
    import('@/components/chat/message-list'),
    import('@/components/chat/picture-viewer'),
    import('@/components/chat/unsent-notice'),
    import('@/components/notice/notice'),
    import('@/components/shortcuts/shortcut-keys'),
    import('@/components/shortcuts/shortcut-list'),
    import('@/components/speech/read-aloud'),
    import('@/components/usage/why-this-cost'),
    import('@/lib/local/conversations/conversation-text'),
  ])
}
