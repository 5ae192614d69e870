import { ArrowDown } from 'lucide'
import { usePathname } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { memo, type RefObject, useDeferredValue, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { Button } from '@/components/ui/button'
import { focusMessageBox } from '@/components/ui/focus'
import { Icon } from '@/components/ui/icon'
import { Money, useMoney } from '@/components/ui/money'
import { useStore } from '@/components/ui/use-store'
import { openComparison, runningAnswers } from '@/lib/local/domain/comparisons'
import type { Conversation, Message } from '@/lib/local/domain/conversation'
import { formatUsd } from '@/lib/money/nano'
import { AnswerAnnouncer } from './answer-announcer'
import type { ChatModel } from './chat-model'
import { writingStore } from './edit-form'
import styles from './message-list.module.css'
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
    // The button disappears at the end.
    focusMessageBox()
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
