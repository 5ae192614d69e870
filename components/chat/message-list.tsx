import { ArrowDown } from 'lucide'
import { useTranslations } from 'next-intl'
import {
  type ComponentProps,
  memo,
  type ReactNode,
  type RefObject,
  useCallback,
  useDeferredValue,
  useMemo,
  useRef,
  useState,
} from 'react'
import { arriving } from '@/components/ui/arriving'
import { Button } from '@/components/ui/button'
import { Icon } from '@/components/ui/icon'
import { LiveRegion } from '@/components/ui/live-region'
import { Money, useMoney } from '@/components/ui/money'
import { useStore } from '@/components/ui/use-store'
import { VisuallyHidden } from '@/components/ui/visually-hidden'
import type { ExchangePhase } from '@/lib/exchange/client/follow-exchange'
import { messageTitle } from '@/lib/local/conversations/conversation-text'
import { openComparison, runningAnswers } from '@/lib/local/domain/comparisons'
import { type Conversation, type Message, messageText, picturesOf } from '@/lib/local/domain/conversation'
import { summariesOf, variantsOf } from '@/lib/local/domain/turns'
import { type Whole, wholeMessages } from '@/lib/local/domain/whole-answers'
import { formatUsd } from '@/lib/money/nano'
import { speakableText } from '@/lib/speech/domain/speakable-text'
import { splitSpeech } from '@/lib/speech/domain/split-speech'
import { AssistantMessage } from './assistant-message'
import { liveAnswers } from './browser-exchanges'
import type { ChatModel } from './chat-model'
import styles from './message-list.module.css'
import { DayLine } from './message-time'
import { QuoteSelection } from './quote-selection'
import type { TurnActions } from './turn-actions'
import { useFoundPlace } from './use-found-place'
import type { NextMessage } from './use-next-message'
import { useShownFrom } from './use-shown-from'
import { useStickToBottom } from './use-stick-to-bottom'
import { UserMessage } from './user-message'

/** Arrives with the first answers that stand side by side. */
const Comparison = arriving(async () => (await import('./compare/comparison')).Comparison, 'told')

/** Arrives with the first summary. */
const SummaryLine = arriving(async () => (await import('./price/summary-line')).SummaryLine)

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
  const versionsOf = ({ parts }: Whole) =>
    parts.flatMap(({ id }) => [variants.get(id ?? '') ?? []]).find(ids => ids.length > 0) ?? null
  const summaries = useMemo(() => summariesOf(conversation), [conversation])
  const wholes = useMemo(() => wholeMessages(messages), [messages])
  // What is being written must not lose its place.
  const actions = runningAnswers(conversation).length > 0 ? null : turnActions
  // A thousand messages are not drawn anew at once for their buttons.
  const laterActions = useDeferredValue(actions)
  const compared = useMemo(() => openComparison(conversation), [conversation])
  const from = useShownFrom(wholes.length, scrollerRef)
  const nameOf = (id: string | undefined) => models.find(model => model.id === id)?.name ?? id ?? null

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
          {wholes.slice(from).map((whole, position) => {
            const { message, parts, startIndex } = whole
            const index = from + position
            const isLast = index === wholes.length - 1
            const makers = new Set(parts.map(part => nameOf(part.model)))
            return (
              <Turn
                key={keyOf(message, index)}
                message={message}
                parts={parts.length > 1 ? parts : undefined}
                previous={messages[startIndex - 1] ?? null}
                versions={versionsOf(whole)}
                isLast={isLast}
                modelName={[...makers].filter(Boolean).join(', ') || null}
                outputPrice={models.find(({ id }) => id === message.model)?.prices.completion ?? null}
                actions={isLast ? actions : laterActions}
                summary={summaries.get(messages[startIndex - 1]?.id ?? '') ?? null}
                conversationId={conversation.id}
                memoryLine={
                  startIndex > (next.context?.fromIndex ?? 0) &&
                  holdsIndex(whole, next.context?.startIndex) ? (
                    <MemoryLine more={next.more} focusRef={scrollerRef} />
                  ) : null
                }
                comparison={
                  isLast && compared.length > 0 ? { answers: compared, conversation, models, actions } : null
                }
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
      {/* Those that stand side by side speak for themselves. */}
      <QuoteSelection rootRef={scrollerRef} conversationId={conversation.id} />
      <AnswerAnnouncer messages={compared.length > 0 ? messages.slice(0, -1) : messages} />
    </div>
  )
}

function holdsIndex({ parts, startIndex }: Whole, index = -1): boolean {
  return index >= startIndex && index < startIndex + parts.length
}

interface TurnProps {
  message: Message
  /** What it is kept as, where it was carried on. */
  parts: readonly Message[] | undefined
  /** Null for the first of the conversation. */
  previous: Message | null
  versions: readonly string[] | null
  isLast: boolean
  modelName: string | null
  /** Dollars for a token of an answer; null when it is not known. */
  outputPrice: string | null
  actions: TurnActions | null
  /** Of all that stands above; null where there is none. */
  summary: Message | null
  conversationId: string
  memoryLine: ReactNode
  /** What stands side by side in its place, if anything does. */
  comparison: ComponentProps<typeof Comparison> | null
}

/** A message with what stands above it; drawn anew when it changes itself, and not when others do. */
const Turn = memo(function Turn(props: TurnProps) {
  const { message, parts, previous, versions, isLast, modelName, outputPrice, actions } = props
  const { summary, conversationId, memoryLine, comparison } = props
  const t = useTranslations('chat')
  const answer = message.role === 'assistant' && (
    <AssistantMessage
      message={message}
      parts={parts}
      modelName={modelName}
      outputPrice={outputPrice}
      isLast={isLast}
      versions={versions}
      actions={actions}
    />
  )
  return (
    <>
      <DayLine message={message} previous={previous} />
      {summary && <SummaryLine summary={summary} conversationId={conversationId} />}
      {memoryLine}
      {/* From one to the next a screen reader jumps from exchange to exchange. */}
      {(previous === null || message.role === 'user') && (
        <VisuallyHidden as="h2" dir="auto" data-not-copied>
          {messageTitle(message) || t('chat')}
        </VisuallyHidden>
      )}
      {message.role === 'user' && <UserMessage message={message} versions={versions} actions={actions} />}
      {comparison ? <Comparison {...comparison} meanwhile={answer} /> : answer}
    </>
  )
})

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

/** About a minute and a half of speech. A longer answer is announced by its beginning, which says so. */
const ANNOUNCED_LENGTH_MAX = 1_500

/** Tells a screen reader that an answer has begun, and its words at its end; never word by word. */
function AnswerAnnouncer({ messages }: { messages: readonly Message[] }) {
  const [watchedId, setWatchedId] = useState<string | null>(null)
  const answer = messages.findLast(({ role }) => role === 'assistant')
  const streamingId = answer?.status === 'streaming' ? (answer.id ?? null) : null
  // One that was there when the conversation was opened is no news, nor is one that comes back.
  const isWatched = answer?.id !== undefined && answer.id === watchedId
  if (streamingId !== null && !isWatched) setWatchedId(streamingId)
  else if (watchedId !== null && !isWatched) setWatchedId(null)
  return <LiveRegion>{isWatched && <AnswerNews answer={answer} />}</LiveRegion>
}

/** What failed says so itself. */
function AnswerNews({ answer }: { answer: Message }) {
  const t = useTranslations('chat')
  const speech = useTranslations('speech')
  const code = speech('codeLeftOut')
  const phase = useLivePhase(answer.id ?? '')
  if (answer.status === 'streaming') return t('answerStarted')
  if (answer.status === 'stopped') {
    // Whether it could be stopped is known once the server has said so.
    if (phase === 'finishing') return t('answeredAnyway')
    return phase === null && t('stoppedFree')
  }
  const words = speakableText(messageText(answer), { code }, 2 * ANNOUNCED_LENGTH_MAX)
  if (words === '') return picturesOf(answer).length > 0 && t('answerFinished', { text: t('drawnPicture') })
  const [text = '', ...rest] = splitSpeech(words, { first: ANNOUNCED_LENGTH_MAX, next: ANNOUNCED_LENGTH_MAX })
  return t(rest.length === 0 ? 'answerFinished' : 'answerBegins', { text })
}

/** Null once nothing is on its way to the message. */
function useLivePhase(messageId: string): ExchangePhase | null {
  const subscribe = useCallback(
    (listener: () => void) => liveAnswers.subscribe(messageId, listener),
    [messageId],
  )
  return useStore<ExchangePhase | null>({
    subscribe,
    getSnapshot: () => liveAnswers.get(messageId)?.phase ?? null,
    getServerSnapshot: () => null,
  })
}
