import { useTranslations } from 'next-intl'
import {
  type ComponentProps,
  type CSSProperties,
  memo,
  type ReactNode,
  type RefCallback,
  useState,
} from 'react'
import { lazyPart } from '@/components/ui/lazy-part'
import { VisuallyHidden } from '@/components/ui/visually-hidden'
import { messageTitle } from '@/lib/local/conversations/conversation-text'
import { AssistantMessage } from './assistant-message'
import styles from './message-list.module.css'
import { DayLine } from './message-time'
import type { ShownTurn } from './shown-turns'
import type { TurnActions } from './turn-actions'
import { HasButtons } from './use-near'
import { UserMessage } from './user-message'

/**
 * Arrives with the first answers that stand side by side, and is asked for here alone: the bundler calls both ways to
 * a part by one name, and who takes the other one's before that one's code is there loses the part for good.
 */
const Comparison = lazyPart(async () => (await import('./compare/comparison')).Comparison, 'with-error')

/** Arrives with the first summary. */
const SummaryLine = lazyPart(async () => (await import('./price/summary-line')).SummaryLine)

interface TurnGroupProps {
  /** Where its first turn stands among all. */
  startIndex: number
  turns: readonly ShownTurn[]
  /** Also while it is far from view: the end of a conversation stands still, and so does the place that it opens at. */
  isLaidOut: boolean
  /** It is on the screen, or soon will be. */
  isNear: boolean
  /** It does not belong to the conversation any more, and is nothing to be seen, heard or reached. */
  isLeft: boolean
  watch: RefCallback<HTMLElement>
  conversationId: string
  /** Null while an answer is on its way. */
  actions: TurnActions | null
  /** Stands above the turn of that key, where it is one of these. */
  memory: { readonly key: string; readonly line: ReactNode } | null
  /** Of the conversation's last turn, where it is one of these. */
  last: LastTurn | null
}

interface LastTurn {
  readonly actions: TurnActions | null
  /** What stands side by side in its place, if anything does. */
  readonly comparison: ComponentProps<typeof Comparison> | null
}

/**
 * Turns that are laid out together. The browser leaves out what is far from view, and so do we: what is there
 * to be read, found and heard is always there; the buttons come when a turn comes near for the first time, and
 * learn when it is near what can be done with it.
 */
export const TurnGroup = memo(function TurnGroup(props: TurnGroupProps) {
  const { startIndex, turns, isLaidOut, isNear, isLeft, watch, conversationId, actions, memory, last } = props
  const [wasNear, setWasNear] = useState(isNear)
  if (isNear && !wasNear) setWasNear(true)
  const lastKey = last && turns.at(-1)?.key
  return (
    <div
      ref={watch}
      className={styles.group}
      data-turns={startIndex}
      data-laid-out={isLaidOut || undefined}
      data-used={wasNear || undefined}
      aria-hidden={isLeft || undefined}
      inert={isLeft}
      style={{ '--turn-count': turns.length } as CSSProperties}
    >
      <HasButtons value={wasNear}>
        {turns.map(turn => {
          const asLast = turn.key === lastKey ? last : null
          return (
            <Turn
              // With another of those side by side shown to who cannot compare, none of them is drawn, or read, anew.
              key={asLast?.comparison?.answers[0]?.comparison ?? turn.key}
              turn={turn}
              isLast={asLast !== null}
              hasButtons={wasNear}
              actions={asLast ? asLast.actions : actions}
              conversationId={conversationId}
              memoryLine={memory?.key === turn.key ? memory.line : null}
              comparison={asLast?.comparison ?? null}
            />
          )
        })}
      </HasButtons>
    </div>
  )
}, isDrawnTheSame)

/** What can be done with a turn does not matter where nobody can see it. */
function isDrawnTheSame(before: TurnGroupProps, after: TurnGroupProps): boolean {
  const { actions: known, isNear: wasNear, ...rest } = before
  const { actions, isNear, ...now } = after
  const values = Object.values(now)
  const isSame = Object.values(rest).every((value, index) => value === values[index])
  return isSame && (!isNear || (wasNear && known === actions))
}

interface TurnProps {
  turn: ShownTurn
  isLast: boolean
  hasButtons: boolean
  actions: TurnActions | null
  conversationId: string
  memoryLine: ReactNode
  comparison: LastTurn['comparison']
}

/** A message with what stands above it; drawn anew when it changes itself, and not when others do. */
const Turn = memo(function Turn(props: TurnProps) {
  const { turn, isLast, hasButtons, actions, conversationId, memoryLine, comparison } = props
  const { message, parts, previous, versions, modelName, outputPrice, summary } = turn
  const t = useTranslations('chat')
  const answer = message.role === 'assistant' && (
    <AssistantMessage
      message={message}
      parts={parts}
      modelName={modelName}
      outputPrice={outputPrice}
      isLast={isLast}
      versions={versions}
      hasButtons={hasButtons}
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
      {message.role === 'user' && (
        <UserMessage message={message} versions={versions} hasButtons={hasButtons} actions={actions} />
      )}
      {comparison ? <Comparison {...comparison} fallback={<div data-stays-in-view>{answer}</div>} /> : answer}
    </>
  )
})
