'use client'

import { useLocale, useTranslations } from 'next-intl'
import { useEffect } from 'react'
import { conversationDataStore } from '@/components/shell/conversation-data'
import { useStore } from '@/components/ui/use-store'
import { chatAddress, isChatAddress, NEEDS_NETWORK } from '@/lib/i18n/chat-address'
import { usePathname } from '@/lib/i18n/navigation'
import { creditIdStore } from '@/lib/local/credit-id'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { whenIdle } from '@/lib/local/when-idle'

const REGISTER_WITHIN_MS = 10_000

/**
 * Registers the service worker once the page rests, and tells of a new version; in development neither. Says of a
 * page that the worker could not fetch why the chat stands in its place.
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

  useEffect(() => {
    if (process.env.NODE_ENV !== 'production' || !('serviceWorker' in navigator)) return
    const { serviceWorker } = navigator
    // A new one waits until the person is ready: half a page of each version would be neither.
    const offer = (waiting: ServiceWorker) =>
      noticeStore.show('info', t('newVersion'), {
        label: t('reload'),
        run() {
          serviceWorker.addEventListener('controllerchange', () => window.location.reload(), { once: true })
          waiting.postMessage({ takeOver: true })
        },
      })
    const register = async () => {
      const registration = await serviceWorker.register('/sw.js', { scope: '/', updateViaCache: 'none' })
      if (registration.waiting && serviceWorker.controller) offer(registration.waiting)
      registration.addEventListener('updatefound', () => {
        const { installing } = registration
        installing?.addEventListener('statechange', () => {
          if (installing.state === 'installed' && serviceWorker.controller) offer(installing)
        })
      })
      const { active } = await serviceWorker.ready
      // Whoever has a credit can ask, and be answered once the network is back.
      if (hasConversations || creditIdStore.getSnapshot() !== null) await fetchLaterParts()
      // What was loaded before the worker could see it: parts of the chat that come later, and must not fail.
      const files = performance.getEntriesByType('resource').map(({ name }) => name)
      if (isChat) active?.postMessage({ path: chatAddress(window.location.pathname, null), language, files })
    }
    // Refused in private windows and over plain http: then there is nothing to open offline.
    return whenIdle(() => void register().catch(() => undefined), REGISTER_WITHIN_MS)
  }, [t, language, isChat, hasConversations])

  return null
}

/**
 * What asks, what shows conversations, and comes only when it is needed: one part that cannot be fetched would
 * break the whole page, and history has to be read, and questions have to wait, without a network.
 */
async function fetchLaterParts(): Promise<void> {
  await Promise.allSettled([
    import('@/components/chat/ask-question'),
    import('@/components/chat/conversation-list'),
    import('@/components/chat/message-list'),
    import('@/components/chat/picture-viewer'),
    import('@/components/chat/unsent-notice'),
    import('@/components/notice/notice'),
    import('@/components/shortcuts/shortcut-list'),
    import('@/components/speech/read-aloud'),
    import('@/components/usage/why-this-cost'),
  ])
}
