import { ArrowDown } from 'lucide'
import { useTranslations } from 'next-intl'
import { Fragment, type RefObject, useMemo, useRef, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Icon } from '@/components/ui/icon'
import { LiveRegion } from '@/components/ui/live-region'
import { Money, useMoney } from '@/components/ui/money'
import { VisuallyHidden } from '@/components/ui/visually-hidden'
import { conversationTitle } from '@/lib/local/conversations/conversation-text'
import { type Conversation, type Message, messageText, picturesOf } from '@/lib/local/domain/conversation'
import { variantsOf } from '@/lib/local/domain/turns'
import { formatUsd } from '@/lib/money/nano'
import { AssistantMessage } from './assistant-message'
import type { ChatModel } from './chat-model'
import styles from './message-list.module.css'
import { DayLine } from './message-time'
import type { TurnActions } from './turn-actions'
import { useFoundPlace } from './use-found-place'
import type { NextMessage } from './use-next-message'
import { useStickToBottom } from './use-stick-to-bottom'
import { UserMessage } from './user-message'

interface MessageListProps {
  conversation: Conversation
  models: readonly ChatModel[]
  next: NextMessage
  /** Null while no model is known. */
  turnActions: TurnActions | null
}

/** Messages of other products carry no id; their place in the list serves. */
const keyOf = (message: Message, index: number) => message.id ?? `message-${index}`

export function MessageList({ conversation, models, next, turnActions }: MessageListProps) {
  const t = useTranslations('chat')
  const scrollerRef = useRef<HTMLDivElement>(null)
  const contentRef = useRef<HTMLDivElement>(null)
  const messages = conversation.messages
  const lastQuestionId = messages.findLast(({ role }) => role === 'user')?.id
  const { isAtBottom, jump } = useStickToBottom(scrollerRef, contentRef, lastQuestionId)
  useFoundPlace(contentRef, conversation.id)
  const variants = useMemo(() => variantsOf(conversation), [conversation])
  const versionsOf = ({ id }: Message) => variants.get(id ?? '') ?? null
  // What is being written must not lose its place.
  const actions = messages.some(({ status }) => status === 'streaming') ? null : turnActions

  return (
    <div className={styles.frame}>
      <div
        ref={scrollerRef}
        className={styles.scroller}
        tabIndex={0}
        role="region"
        aria-label={t('messages')}
      >
        {/* The list of conversations has headings of this level, and is not there on a phone. */}
        <VisuallyHidden as="h2">{conversationTitle(conversation) || t('chat')}</VisuallyHidden>
        <div ref={contentRef} className={styles.content}>
          {messages.map((message, index) => {
            const isMemoryStart = index > 0 && index === next.context?.startIndex
            return (
              <Fragment key={keyOf(message, index)}>
                <DayLine message={message} previous={messages[index - 1] ?? null} />
                {isMemoryStart && <MemoryLine more={next.more} focusRef={scrollerRef} />}
                {message.role === 'user' && (
                  <UserMessage message={message} versions={versionsOf(message)} actions={actions} />
                )}
                {message.role === 'assistant' && (
                  <AssistantMessage
                    message={message}
                    modelName={models.find(({ id }) => id === message.model)?.name ?? message.model ?? null}
                    isLast={index === messages.length - 1}
                    versions={versionsOf(message)}
                    actions={actions}
                  />
                )}
              </Fragment>
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

interface MemoryLineProps {
  more: NextMessage['more']
  /** What gets the focus of the button, which goes away. */
  focusRef: RefObject<HTMLElement | null>
}

/** Where the model's memory of the conversation ends, and what it would cost to move that further up. */
function MemoryLine({ more, focusRef }: MemoryLineProps) {
  const t = useTranslations('chat')
  const money = useMoney()
  const scope = more?.isAll ? 'all' : 'more'
  const remember = () => {
    more?.choose()
    focusRef.current?.focus()
  }
  return (
    <div className={styles.memory}>
      <p>{t('memoryEnds')}</p>
      {more && (
        <button type="button" onClick={remember}>
          {more.extra
            ? t.rich('rememberFor', {
                scope,
                price: money.about(formatUsd(more.extra)),
                nowrap: amount => <Money text={amount} />,
              })
            : t('remember', { scope })}
        </button>
      )}
    </div>
  )
}

/** A longer answer is announced by its beginning; the rest can be read in the message. */
const ANNOUNCED_LENGTH_MAX = 600

/** Tells a screen reader that an answer has begun, and the whole of it at its end; never word by word. */
function AnswerAnnouncer({ messages }: { messages: readonly Message[] }) {
  const t = useTranslations('chat')
  const [watchedId, setWatchedId] = useState<string | null>(null)
  const answer = messages.findLast(({ role }) => role === 'assistant')
  const streamingId = answer?.status === 'streaming' ? (answer.id ?? null) : null
  if (streamingId !== null && streamingId !== watchedId) setWatchedId(streamingId)
  // An answer that was there when the conversation was opened is no news.
  const isNews = answer?.id !== undefined && answer.id === watchedId
  const announcement = !isNews
    ? ''
    : answer.status === 'streaming'
      ? t('answerStarted')
      : t('answerFinished', { text: spokenText(answer, t('drawnPicture')) })
  return <LiveRegion>{announcement}</LiveRegion>
}

function spokenText(answer: Message, pictureName: string): string {
  const text = messageText(answer)
  return text === '' && picturesOf(answer).length > 0 ? pictureName : text.slice(0, ANNOUNCED_LENGTH_MAX)
}
