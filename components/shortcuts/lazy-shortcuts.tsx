'use client'

import { useEffect, useState } from 'react'
import { arriving } from '@/components/ui/arriving'
import { useStore } from '@/components/ui/use-store'
import { whenIdle } from '@/lib/local/when-idle'
import { shortcutListStore } from './shortcut-list-store'

const ShortcutKeys = arriving(async () => (await import('./shortcut-keys')).ShortcutKeys)

const IDLE_TIMEOUT_MS = 4_000

/** Its code comes once the page rests, or when somebody asks for the list. */
export function LazyShortcuts() {
  const isListOpen = useStore(shortcutListStore)
  const [isResting, setResting] = useState(false)
  useEffect(() => whenIdle(() => setResting(true), IDLE_TIMEOUT_MS), [])
  if (!isResting && !isListOpen) return null
  return <ShortcutKeys />
}
