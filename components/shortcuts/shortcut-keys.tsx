'use client'

import { useTranslations } from 'next-intl'
import { type RefObject, useEffect, useEffectEvent, useState } from 'react'
import { useGoToChat, useNewChat } from '@/components/shell/use-new-chat'
import { focusAfterRender, focusMessageBox, MESSAGE_BOX_ID } from '@/components/ui/focus'
import { lazyPart } from '@/components/ui/lazy-part'
import { LiveRegion } from '@/components/ui/live-region'
import { whileLoading } from '@/components/ui/loading-dialog'
import { useStore } from '@/components/ui/use-store'
import { plainKeysStore, shortcutListStore } from './shortcut-list-store'
import { isMac, type ShortcutName, shortcutOf } from './shortcuts'

const ShortcutList = lazyPart(async () => (await import('./shortcut-list')).ShortcutList)

interface ShortcutKeysProps {
  /** The last key that was pressed before this was loaded. */
  unhandled: RefObject<KeyboardEvent | null>
}

/** Handles the shortcuts on every page, mostly by pressing the button that does the same. */
export function ShortcutKeys({ unhandled }: ShortcutKeysProps) {
  const t = useTranslations('shortcuts')
  const isListOpen = useStore(shortcutListStore)
  const [opened, setOpened] = useState('')
  const goToChat = useGoToChat()
  const startNewChat = useNewChat()
  const closeList = () => shortcutListStore.set(false)
  const handlers: Record<ShortcutName, () => void> = {
    newChat: startNewChat,
    search,
    previous: () => void step(-1),
    next: () => void step(1),
    write: () => {
      const box = document.getElementById(MESSAGE_BOX_ID)
      if (box) box.focus()
      else goToChat()
    },
    stop: () => press(document, 'stop'),
    answerAgain: () => press(lastMessage(), 'answerAgain'),
    copyAnswer: () => press(lastMessage(), 'copyAnswer'),
    list: () => shortcutListStore.set(true),
  }
  const step = async (by: number) => {
    const { openNeighbour } = await import('@/components/chat/open-conversation')
    const title = await openNeighbour(by)
    if (title === null) return
    goToChat()
    focusMessageBox()
    setOpened(title)
  }
  const handle = useEffectEvent((name: ShortcutName) => handlers[name]())

  useEffect(() => {
    // On the window, so that every other handler comes first.
    const onKeyDown = (event: KeyboardEvent) => {
      unhandled.current = null
      if (document.querySelector('dialog[open]')) return
      const name = shortcutOf(event, isMac())
      if (name === null || (name === 'list' && !plainKeysStore.getSnapshot())) return
      // Escape keeps its default, such as leaving full screen or clearing a field.
      if (name !== 'stop') event.preventDefault()
      if (!event.repeat) handle(name)
    }
    if (unhandled.current) onKeyDown(unhandled.current)
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [unhandled])

  return (
    <>
      <LiveRegion>{opened}</LiveRegion>
      {isListOpen && <ShortcutList onClose={closeList} {...whileLoading(t('title'), closeList)} />}
    </>
  )
}

function lastMessage(): ParentNode | undefined {
  return [...document.querySelectorAll('main article[data-message]:not([inert] *)')].at(-1)
}

function press(inside: ParentNode | undefined, name: ShortcutName): void {
  inside?.querySelector<HTMLElement>(`[data-shortcut="${name}"]:enabled`)?.click()
}

/** On a narrow window the search is in the drawer, which is opened first. */
function search(): void {
  const fields = [...document.querySelectorAll<HTMLElement>('[data-shortcut="search"]')]
  const field = fields.find(({ offsetParent }) => offsetParent !== null)
  if (field) {
    field.focus()
    return
  }
  document.querySelector<HTMLElement>('[data-shortcut="drawer"]')?.click()
  focusAfterRender('dialog[open] [data-shortcut="search"]')
}
