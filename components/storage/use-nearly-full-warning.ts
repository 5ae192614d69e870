import { useLocale, useTranslations } from 'next-intl'
import { useCallback, useEffect, useRef } from 'react'
import { useStore } from '@/components/ui/use-store'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { conversationTitle } from '@/lib/local/conversations/conversation-text'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { guardedStorage } from '@/lib/local/storage/guarded-storage'
import { keepInTab, openArea } from '@/lib/local/storage/storage-area'
import { storageFullStore } from '@/lib/local/storage/storage-full-store'
import { STORAGE_WARNED_KEY } from '@/lib/local/storage/storage-keys'
import { STORAGE_WARNING_BYTES } from '@/lib/local/storage/storage-limits'
import { measureUsage } from '@/lib/local/storage/storage-usage'
import { formatBytes } from './format-bytes'
import { largestConversations } from './largest-conversations'

/**
 * Checks how full the storage is, and warns once per tab at nine tenths, while there is still time: a failed write
 * opens the storage-full dialog. The warning is reset once there is room again.
 */
export function useNearlyFullWarning(onMakeRoom: () => void): () => void {
  const t = useTranslations('storage')
  const list = useTranslations('conversations')
  const locale = useLocale()
  const hasWarned = useRef(false)
  const storageFull = useStore(storageFullStore)
  useEffect(() => {
    // A person who was told that it is full need not hear that it is nearly full.
    if (storageFull === 'open') hasWarned.current = true
  }, [storageFull])
  return useCallback(() => {
    const { usedBytes, maxBytes } = measureUsage(guardedStorage)
    const session = openArea('sessionStorage')
    if (usedBytes < STORAGE_WARNING_BYTES) {
      hasWarned.current = false
      return session.removeItem(STORAGE_WARNED_KEY)
    }
    if (hasWarned.current || session.getItem(STORAGE_WARNED_KEY) !== null) return
    hasWarned.current = true
    // Without room for the mark, the warning is shown again after a reload.
    keepInTab(STORAGE_WARNED_KEY, '1')
    const percent = new Intl.NumberFormat(locale, { style: 'percent' })
    const sentences = [t('nearlyFull', { share: percent.format(Math.min(1, usedBytes / maxBytes)) })]
    const [largest] = largestConversations(conversationStore.getSnapshot(), 1)
    if (largest) {
      const title = conversationTitle(largest.conversation) || list('newChat')
      sentences.push(t('largestNamed', { title, size: formatBytes(largest.bytes, locale) }))
    }
    noticeStore.show('warning', sentences.join(' '), { label: t('makeRoom'), run: onMakeRoom })
  }, [t, list, locale, onMakeRoom])
}
