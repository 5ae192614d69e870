import { ArrowDown } from 'lucide'
import { useTranslations } from 'next-intl'
import { useRef } from 'react'
import { Button } from '@/components/ui/button'
import { Icon } from '@/components/ui/icon'
import type { Conversation, Message } from '@/lib/local/domain/conversation'
import { AnswerAnnouncer } from './answer-announcer'
import { AssistantMessage } from './assistant-message'
import type { ChatModel } from './chat-model'
import styles from './message-list.module.css'
import { useStickToBottom } from './use-stick-to-bottom'
import { UserMessage } from './user-message'

interface MessageListProps {
  conversation: Conversation
  models: readonly ChatModel[]
  onRetry: (answerId: string) => void
}

/** Messages of other products carry no id; their place in the list serves. */
const keyOf = (message: Message, index: number) => message.id ?? `message-${index}`

export function MessageList({ conversation, models, onRetry }: MessageListProps) {
  const t = useTranslations('chat')
  const scrollerRef = useRef<HTMLDivElement>(null)
  const contentRef = useRef<HTMLDivElement>(null)
  const messages = conversation.messages
  const lastQuestionId = messages.findLast(({ role }) => role === 'user')?.id
  const { isAtBottom, jump } = useStickToBottom(scrollerRef, contentRef, lastQuestionId)
  const streamingId = messages.findLast(({ status }) => status === 'streaming')?.id

  return (
    <div className={styles.frame}>
      <div
        ref={scrollerRef}
        className={styles.scroller}
        tabIndex={0}
        role="region"
        aria-label={t('messages')}
      >
        <div ref={contentRef} className={styles.content}>
          {messages.map((message, index) => {
            const key = keyOf(message, index)
            if (message.role === 'user') return <UserMessage key={key} message={message} />
            if (message.role !== 'assistant') return null
            return (
              <AssistantMessage
                key={key}
                message={message}
                modelName={models.find(({ id }) => id === message.model)?.name ?? message.model ?? null}
                onRetry={index === messages.length - 1 && streamingId === undefined ? onRetry : null}
              />
            )
          })}
        </div>
      </div>
      {!isAtBottom && (
        <Button variant="quiet" size="small" className={styles.jump} onClick={jump}>
          <Icon icon={ArrowDown} size={16} />
          {t('jumpToLatest')}
        </Button>
      )}
      <AnswerAnnouncer messages={messages} />
    </div>
  )
}
