import { ArrowDown } from 'lucide'
import { usePathname } from 'next/navigation'
import { useTranslations } from 'next-intl'
import {
  memo,
  type RefObject,
  useCallback,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { flushSync } from 'react-dom'
import { Button } from '@/components/ui/button'
import { Icon } from '@/components/ui/icon'
import { LiveRegion } from '@/components/ui/live-region'
import { Money, useMoney } from '@/components/ui/money'
import { useStore } from '@/components/ui/use-store'
import type { ExchangePhase } from '@/lib/exchange/client/follow-exchange'
import { openComparison, runningAnswers } from '@/lib/local/domain/comparisons'
import { type Conversation, type Message, messageText, picturesOf } from '@/lib/local/domain/conversation'
import { formatUsd } from '@/lib/money/nano'
import { speakableText } from '@/lib/speech/domain/speakable-text'
import { splitSpeech } from '@/lib/speech/domain/split-speech'
import { AnswerEnd, isPhaseAnnounced } from './answer-footer'
import { wasForNothing } from './answer-price'
import type { ChatModel } from './chat-model'
import { writingStore } from './edit-form'
import styles from './message-list.module.css'
import { liveAnswers } from './page-exchanges'
import { QuoteSelection } from './quote-selection'
import { readingPlaceOf } from './reading-places'
import { openedSearchStore } from './select-conversation'
import { GROUP_TURN_COUNT, type ShownTurn, shownTurns } from './shown-turns'
import type { TurnActions } from './turn-actions'
import { TurnGroup } from './turn-group'
import { useFoundPlace } from './use-found-place'
import { useNear } from './use-near'
import type { NextMessage } from './use-next-message'
import { type ShownGroup, useShownRange } from './use-shown-range'
import { useStickToBottom } from './use-stick-to-bottom'

export interface TurnListProps {
  conversation: Conversation
  models: readonly ChatModel[]
  next: NextMessage
  /** Null while no model is known. */
  turnActions: TurnActions | null
  /** Called once it is completely unmounted; absent while it is shown. */
  onGone?: () => void
}

const NO_GROUPS: readonly ShownTurn[][] = []

export const TurnList = memo(function TurnList(props: TurnListProps) {
  const { conversation, models, next, turnActions, onGone = null } = props
  const t = useTranslations('chat')
  // When the address changes, React searches components with unchanged props for readers of the address: all groups in
  // one task, unless the list reads it too. Then each group is searched by itself, and the page can respond in between.
  usePathname()
  const scrollerRef = useRef<HTMLDivElement>(null)
  const contentRef = useRef<HTMLDivElement>(null)
  const messages = conversation.messages
  const lastQuestionId = messages.findLast(({ role }) => role === 'user')?.id
  const isAnswering = runningAnswers(conversation).length > 0
  const turns = useMemo(() => shownTurns(conversation, models), [conversation, models])
  const groups = onGone ? NO_GROUPS : turns
  const [opening] = useState(() => openingPlace(conversation.id, groups))
  const { isNear, watch } = useNear(scrollerRef)
  const range = useShownRange(groups, scrollerRef, opening?.index ?? null, onGone)
  const isWriting = useStore(writingStore)
  const reading = {
    conversationId: conversation.id,
    place: opening?.place ?? null,
    hasEnd: range.hasEnd,
    isLeft: onGone !== null,
  }
  const { isAtBottom, jump } = useStickToBottom(scrollerRef, contentRef, lastQuestionId, isAnswering, reading)
  useFoundPlace(contentRef, onGone ? null : conversation.id)
  // An open edit form must not lose its place.
  const actions = isAnswering ? null : turnActions
  // Groups in view get their new buttons in a deferred render.
  const laterActions = useDeferredValue(actions)
  const compared = useMemo(() => openComparison(conversation), [conversation])
  const comparison = compared.length > 0 ? { answers: compared, conversation, models, actions } : null
  const remembered = rememberedFrom(turns, messages, next.context)
  const toEnd = () => {
    flushSync(range.showEnd)
    jump()
  }

  const openingGroup = opening ? Math.floor(opening.index / GROUP_TURN_COUNT) : -1
  const groupOf = ({ startIndex, turns: shown }: ShownGroup, isLeft: boolean) => {
    const groupIndex = startIndex / GROUP_TURN_COUNT
    const isAtEnd = groupIndex >= turns.length - 2
    const isAtOpening = [0, 1].includes(openingGroup - groupIndex)
    const isLast = !isLeft && groupIndex === turns.length - 1
    return (
      <TurnGroup
        key={startIndex}
        startIndex={startIndex}
        turns={shown}
        isLaidOut={!isLeft && (isAtEnd || isAtOpening)}
        isNear={isNear(startIndex)}
        isLeft={isLeft}
        watch={watch}
        conversationId={conversation.id}
        actions={laterActions}
        memory={
          remembered && shown.includes(remembered)
            ? { key: remembered.key, line: <MemoryLine more={next.more} focusRef={scrollerRef} /> }
            : null
        }
        last={isLast ? { actions, comparison } : null}
      />
    )
  }

  return (
    <>
      <div
        ref={scrollerRef}
        className={styles.scroller}
        tabIndex={0}
        role="region"
        aria-label={t('messages')}
      >
        <div ref={contentRef} className={styles.content}>
          {[
            ...range.shown.map(group => groupOf(group, false)),
            ...range.left.map(group => groupOf(group, onGone === null)),
          ]}
        </div>
      </div>
      {/* Hidden during an edit, where it could cover the form's buttons. */}
      {!isAtBottom && !isWriting && (
        <Button variant="quiet" size="small" className={styles.jump} onClick={toEnd}>
          <Icon icon={ArrowDown} size={16} />
          {t('jumpToLatest')}
        </Button>
      )}
      {!onGone && (
        <>
          <QuoteSelection rootRef={scrollerRef} conversationId={conversation.id} />
          {/* Answers side by side have announcements of their own. */}
          <AnswerAnnouncer
            messages={compared.length > 0 ? messages.slice(0, -1) : messages}
            whole={compared.length > 0 ? null : (turns.at(-1)?.at(-1)?.message ?? null)}
          />
        </>
      )}
    </>
  )
})

/** Where the conversation was last read, if not at its end. The place of a search result comes first. */
function openingPlace(conversationId: string, groups: readonly ShownTurn[][]) {
  const place = openedSearchStore.getSnapshot() === null ? readingPlaceOf(conversationId) : null
  const index = place ? groups.flat().findIndex(({ message }) => message.id === place.messageId) : -1
  return place && index >= 0 ? { place, index } : null
}

/** The first turn that is sent along; null if that is the beginning of the conversation or its summary. */
function rememberedFrom(
  groups: readonly ShownTurn[][],
  messages: readonly Message[],
  context: NextMessage['context'],
): ShownTurn | null {
  if (!context) return null
  const { fromIndex, startIndex: index } = context
  const isForgotten = ({ role, left_out: isLeftOut }: Message) => role === 'user' && !isLeftOut
  // After a summary, messages that the person excluded do not end the memory, since the summary covers what is above.
  if (fromIndex > 0 && !messages.slice(fromIndex, index).some(isForgotten)) return null
  const isHolding = ({ startIndex, parts }: ShownTurn) =>
    index >= startIndex && index < startIndex + (parts?.length ?? 1)
  const turn = groups.flat().find(isHolding)
  return turn && turn.startIndex > fromIndex ? turn : null
}

interface MemoryLineProps {
  more: NextMessage['more']
  /** Gets the focus of the button, which disappears. */
  focusRef: RefObject<HTMLElement | null>
}

/** Marks where the model's memory of the conversation begins, and shows what it would cost to extend it. */
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

/**
 * About a minute and a half of speech. Of a longer answer the beginning is announced, and that it is only the
 * beginning.
 */
const ANNOUNCED_LENGTH_MAX = 1_500

/** How long announced text stays. Screen readers have taken it over by then. */
const ANNOUNCED_MS = 10_000

interface AnswerAnnouncerProps {
  messages: readonly Message[]
  /** The last answer including the parts that it continues; null if it continues none. */
  whole: Message | null
}

/**
 * Announces to screen readers that an answer is waited for, that it has begun, and at its end its text and its price;
 * never word by word.
 */
function AnswerAnnouncer({ messages, whole }: AnswerAnnouncerProps) {
  const [watchedId, setWatchedId] = useState<string | null>(null)
  const answer = messages.findLast(({ role }) => role === 'assistant')
  const streamingId = answer?.status === 'streaming' ? (answer.id ?? null) : null
  // An answer that was there when the conversation was opened is not announced, nor one that is shown again.
  const isWatched = answer?.id !== undefined && answer.id === watchedId
  if (streamingId !== null && !isWatched) setWatchedId(streamingId)
  else if (watchedId !== null && !isWatched) setWatchedId(null)
  const isAllSaid = isWatched && answer.status !== 'streaming' && answer.receipt !== undefined
  useEffect(() => {
    if (!isAllSaid) return
    // If it stayed, whoever reads on after the answer with a screen reader would hear it again.
    const timer = setTimeout(() => setWatchedId(null), ANNOUNCED_MS)
    return () => clearTimeout(timer)
  }, [isAllSaid])
  return (
    <>
      <LiveRegion>{isWatched && <AnswerAnnouncement answer={answer} />}</LiveRegion>
      {/* In a region of its own: the price of a stopped answer is known later, and nothing should be read twice. */}
      <LiveRegion>{isWatched && <EndAnnouncement answer={answer} whole={whole ?? answer} />}</LiveRegion>
    </>
  )
}

/** Failures announce themselves, and so do interruptions of an answer in progress. */
function AnswerAnnouncement({ answer }: { answer: Message }) {
  const t = useTranslations('chat')
  const speech = useTranslations('speech')
  const code = speech('codeLeftOut')
  const phase = useLivePhase(answer.id ?? '')
  if (answer.status === 'streaming') {
    if (isPhaseAnnounced(phase)) return null
    // While the model is reasoning, the answer has not begun.
    return phase === 'streaming' ? t('answerStarted') : t('waitingFor', { model: t('theModel') })
  }
  // Whether it could be stopped is known once the server has confirmed it.
  if (answer.status === 'stopped') return phase === null && t('stoppedFree')
  const words = speakableText(messageText(answer), { code }, 2 * ANNOUNCED_LENGTH_MAX)
  if (words === '') return picturesOf(answer).length > 0 && t('answerFinished', { text: t('drawnPicture') })
  const [text = '', ...rest] = splitSpeech(words, { first: ANNOUNCED_LENGTH_MAX, next: ANNOUNCED_LENGTH_MAX })
  return t(rest.length === 0 ? 'answerFinished' : 'answerBegins', { text })
}

/** The text that appears below the answer at its end. */
function EndAnnouncement({ answer, whole }: { answer: Message; whole: Message }) {
  const t = useTranslations('chat')
  const money = useMoney()
  const { receipt } = whole
  if (answer.status === 'streaming') return null
  return (
    <>
      <AnswerEnd message={whole} last={answer} />{' '}
      {answer.receipt &&
        receipt &&
        (wasForNothing(whole)
          ? t('notCharged', { price: money.exact(receipt.cost_usd) })
          : t('answerCost', { price: money.about(receipt.cost_usd) }))}
    </>
  )
}

/** Null if no answer is in progress for the message. */
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
