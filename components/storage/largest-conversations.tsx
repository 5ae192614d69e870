'use client'

import { Trash } from 'lucide'
import { useLocale, useTranslations } from 'next-intl'
import { deleteConversation } from '@/components/chat/delete-conversation'
import { focusAfterRender, focusOtherItem } from '@/components/ui/focus'
import { Icon } from '@/components/ui/icon'
import { IconButton } from '@/components/ui/icon-button'
import layout from '@/components/ui/layout.module.css'
import { useStore } from '@/components/ui/use-store'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { conversationTitle } from '@/lib/local/conversations/conversation-text'
import type { Conversation } from '@/lib/local/domain/conversation'
import { formatBytes } from './format-bytes'
import styles from './storage-dialog.module.css'

/** Only the largest, since deleting these frees the most. */
const SHOWN_COUNT = 5

export function largestConversations(conversations: readonly Conversation[], count: number) {
  return conversations
    .map(conversation => ({ conversation, bytes: JSON.stringify(conversation).length }))
    .sort((left, right) => right.bytes - left.bytes)
    .slice(0, count)
}

/** The largest conversations, each with a button that deletes it. */
export function LargestConversations() {
  const t = useTranslations('storage')
  const list = useTranslations('conversations')
  const common = useTranslations('common')
  const locale = useLocale()
  const conversations = useStore(conversationStore)
  const largest = largestConversations(conversations, SHOWN_COUNT)
  if (largest.length === 0) return null
  return (
    <section>
      <h3 className={styles.subtitle}>{t('largest')}</h3>
      <ul className={layout.list}>
        {largest.map(({ conversation, bytes }) => {
          const title = conversationTitle(conversation) || list('newChat')
          return (
            <li key={conversation.id} className={styles.item}>
              <bdi className={styles.name}>{title}</bdi>
              <span className={styles.size}>{formatBytes(bytes, locale)}</span>
              <IconButton
                size="small"
                label={t('deleteNamed', { title })}
                icon={<Icon icon={Trash} size={16} />}
                onClick={event => {
                  if (!focusOtherItem(event.currentTarget)) focusAfterRender('dialog[open] h2')
                  void deleteConversation(conversation.id, { deleted: list('deleted'), undo: common('undo') })
                }}
              />
            </li>
          )
        })}
      </ul>
    </section>
  )
}
