'use client'

import { useEffect, useRef, useState } from 'react'
import { MESSAGE_BOX_ID } from '@/components/ui/focus'
import { lazyPart } from '@/components/ui/lazy-part'
import { useStore } from '@/components/ui/use-store'
import { plainKeysStore, shortcutListStore } from './shortcut-list-store'

const ShortcutKeys = lazyPart(async () => (await import('./shortcut-keys')).ShortcutKeys)

/**
 * Loaded with the first key, or when the person opens the list; many visits use neither. A shortcut with a modifier is
 * the second key already, and what is pressed before the code is there is handled then.
 */
export function LazyShortcuts() {
  const isListOpen = useStore(shortcutListStore)
  const [hasPressed, setPressed] = useState(false)
  const unhandled = useRef<KeyboardEvent | null>(null)
  useEffect(() => {
    // On the window, so that every other handler comes first.
    const onKeyDown = (event: KeyboardEvent) => {
      setPressed(true)
      // It is the dialog's own key, which may close it before the code is there: Escape must not stop an answer then.
      if (document.querySelector('dialog[open]') !== null) return
      unhandled.current = event
      // Whoever just begins to write means the message box, which takes the character as well.
      if (isLostCharacter(event)) document.getElementById(MESSAGE_BOX_ID)?.focus()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [])
  return (hasPressed || isListOpen) && <ShortcutKeys unhandled={unhandled} />
}

/** Whether the key press is a character that nothing on the page takes. The space bar scrolls. */
function isLostCharacter(event: KeyboardEvent): boolean {
  const { key, altKey, ctrlKey, metaKey, target, defaultPrevented } = event
  const opensList = key === '?' && plainKeysStore.getSnapshot()
  const isCharacter = key.length === 1 && key !== ' ' && !altKey && !ctrlKey && !metaKey && !opensList
  return isCharacter && target === document.body && !defaultPrevented
}
