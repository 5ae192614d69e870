'use client'

import { useEffect, useState } from 'react'
import { lazyPart } from '@/components/ui/lazy-part'
import { useStore } from '@/components/ui/use-store'
import { whenIdle } from '@/lib/local/when-idle'
import { shortcutListStore } from './shortcut-list-store'

const ShortcutKeys = lazyPart(async () => (await import('./shortcut-keys')).ShortcutKeys)

const IDLE_TIMEOUT_MS = 4_000

/** Loaded once the page is idle, or when the person opens the list. */
export function LazyShortcuts() {
  const isListOpen = useStore(shortcutListStore)
  const [isResting, setResting] = useState(false)
  useEffect(() => whenIdle(() => setResting(true), IDLE_TIMEOUT_MS), [])
  if (!isResting && !isListOpen) return null
  return <ShortcutKeys />
}
