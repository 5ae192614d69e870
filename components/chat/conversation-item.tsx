import { Pencil, Trash } from 'lucide'
import { useLocale, useTranslations } from 'next-intl'
import { type MouseEvent, useId, useState } from 'react'
import { useGoToChat } from '@/components/shell/use-new-chat'
import { Icon } from '@/components/ui/icon'
import { IconButton } from '@/components/ui/icon-button'
import { getPathname } from '@/lib/i18n/locale-path'
import type { HistoryEntry } from '@/lib/local/archive/history-entry'
import { historyStore } from '@/lib/local/archive/history-store'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { selectedConversationStore } from '@/lib/local/conversations/selected-conversation-store'
import { allMessages } from '@/lib/local/domain/turns'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { browserExchanges } from './browser-exchanges'
import styles from './conversation-list.module.css'
import { RenameForm } from './rename-form'
import { openConversation } from './select-conversation'

interface ConversationItemProps {
  entry: HistoryEntry
  /** What a search was for, and where it found it. */
  found?: { query: string; excerpt: string }
  isSelected: boolean
  onOpened?: () => void
}

export function ConversationItem({ entry, found, isSelected, onOpened }: ConversationItemProps) {
  const t = useTranslations('conversations')
  const [isRenaming, setRenaming] = useState(false)
  const titleId = useId()
  const locale = useLocale()
  const goToChat = useGoToChat()

  const open = async (event: MouseEvent) => {
    // With a modifier the browser opens it in a tab of its own, which finds the id in its address.
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    await openConversation(entry.id, found?.query)
    goToChat()
    onOpened?.()
  }

  if (isRenaming) {
    return (
      <li className={styles.item}>
        <RenameForm id={entry.id} title={entry.title} onDone={() => setRenaming(false)} />
      </li>
    )
  }
  return (
    <li className={styles.item}>
      <a
        href={`${getPathname({ locale, href: '/' })}#${entry.id}`}
        className={styles.open}
        aria-current={isSelected ? 'page' : undefined}
        onClick={event => void open(event)}
      >
        <span id={titleId} className={styles.title}>
          {entry.title || t('untitled')}
        </span>
        {found?.excerpt && <span className={styles.excerpt}>{found.excerpt}</span>}
      </a>
      <span className={styles.actions}>
        <IconButton
          size="small"
          label={t('rename')}
          aria-describedby={titleId}
          icon={<Icon icon={Pencil} size={16} />}
          onClick={() => setRenaming(true)}
        />
        <IconButton
          size="small"
          label={t('delete')}
          aria-describedby={titleId}
          icon={<Icon icon={Trash} size={16} />}
          onClick={() => void deleteConversation(entry.id, { deleted: t('deleted'), undo: t('undo') })}
        />
      </span>
    </li>
  )
}

interface DeleteTexts {
  deleted: string
  undo: string
}

/** Deletes at once and offers to undo it; an answer still on its way is stopped first. */
async function deleteConversation(id: string, texts: DeleteTexts): Promise<void> {
  const wasSelected = selectedConversationStore.selectedId() === id
  const conversation = conversationStore.get(id)
  for (const message of conversation ? allMessages(conversation) : []) {
    if (message.id !== undefined && message.status === 'streaming') browserExchanges.stop(message.id)
  }
  await historyStore.delete(id)
  noticeStore.show('info', texts.deleted, {
    label: texts.undo,
    run: () => {
      const restored = conversationStore.undoDelete()
      if (restored && wasSelected) selectedConversationStore.select(restored.id)
      noticeStore.hide()
    },
  })
}
