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
import { languageOfText } from '@/lib/i18n/language-of-text'
import { messageTitle } from '@/lib/local/conversations/conversation-text'
import { AssistantMessage } from './assistant-message'
import styles from './message-list.module.css'
import { DayLine } from './message-time'
import type { ShownTurn } from './shown-turns'
import type { TurnActions } from './turn-actions'
import { HasButtons } from './use-near'
import { UserMessage } from './user-message'

/**
 * Loaded with the first comparison. No other component may import it dynamically: the bundler gives both imports one
 * name, and one that uses the other's before its code is there loses the part for good.
 */
const Comparison = lazyPart(async () => (await import('./compare/comparison')).Comparison, 'with-error')

/** Loaded with the first summary. */
const SummaryLine = lazyPart(async () => (await import('./price/summary-line')).SummaryLine)

interface TurnGroupProps {
  /** The index of its first turn. */
  startIndex: number
  turns: readonly ShownTurn[]
  /**
   * Lays the group out even if it is far from view: the positions at a conversation's end and at the place where it
   * opens must be stable.
   */
  isLaidOut: boolean
  /** It is in or near the viewport. */
  isNear: boolean
  /** It no longer belongs to the conversation, and must not be seen, announced or reached. */
  isLeft: boolean
  watch: RefCallback<HTMLElement>
  conversationId: string
  /** Null while an answer is in progress. */
  actions: TurnActions | null
  /** Rendered above the turn with that key, if it is in this group. */
  memory: { readonly key: string; readonly line: ReactNode } | null
  /** Set if the group contains the conversation's last turn. */
  last: LastTurn | null
}

interface LastTurn {
  readonly actions: TurnActions | null
  /** The answers side by side in its place, if there are any. */
  readonly comparison: ComponentProps<typeof Comparison> | null
}

/**
 * Turns that are laid out together. The browser skips the layout of distant groups, and we skip their buttons: the text
 * is always there to be read, found and announced, while a turn gets its buttons when it first comes near the viewport,
 * and updates their actions only while it is near.
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
              // The key of a comparison stays the same when another of its answers becomes the current one, so that
              // nothing is rendered or announced again.
              key={asLast?.comparison?.answers[0]?.comparison ?? turn.key}
              turn={turn}
              isLast={asLast !== null}
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

/** A change of actions alone matters only near the viewport. */
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
  actions: TurnActions | null
  conversationId: string
  memoryLine: ReactNode
  comparison: LastTurn['comparison']
}

/** A message and what is above it; renders again only when it changes itself. */
const Turn = memo(function Turn(props: TurnProps) {
  const { turn, isLast, actions, conversationId, memoryLine, comparison } = props
  const { message, parts, previous, versions, modelName, outputPrice, summary } = turn
  const t = useTranslations('chat')
  const title = messageTitle(message)
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
      {/* Headings let screen reader users jump from exchange to exchange. */}
      {(previous === null || message.role === 'user') && (
        <VisuallyHidden as="h2" dir="auto" lang={languageOfText(title)} data-not-copied>
          {title || t('chat')}
        </VisuallyHidden>
      )}
      {message.role === 'user' && <UserMessage message={message} versions={versions} actions={actions} />}
      {comparison ? <Comparison {...comparison} fallback={<div data-stays-in-view>{answer}</div>} /> : answer}
    </>
  )
})
