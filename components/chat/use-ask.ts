import { useCallback, useEffect, useRef, useState } from 'react'
import { useBalance } from '@/components/credit/use-balance'
import { useErrorText } from '@/components/shell/use-error-text'
import type { Shortage } from '@/lib/exchange/client/browser-exchanges'
import { ApiCallError } from '@/lib/http/client/call-api'
import { selectedConversationStore } from '@/lib/local/conversations/selected-conversation-store'
import type { Conversation } from '@/lib/local/domain/conversation'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { spendingLimitsStore, spentUsd } from '@/lib/local/spending-limits'
import { formatUsd, type Nano, nanoToUsdNumber } from '@/lib/money/nano'
import { acceptsPrice } from './asked-price'
import { type ChatModel, isFree } from './chat-model'
import type { Draft } from './draft-store'

/** A question for a model, and how to ask it. */
export interface Question {
  readonly model: ChatModel
  readonly estimate: Nano | null
  /** The promised maximum price; null if none is promised. */
  readonly most: Nano | null
  /** The conversation to ask in; null for a new one. */
  readonly conversation: Conversation | null
  /** Asks for at most the given price; null for the promised one. */
  readonly ask: (mostAccepted: Nano | null) => Promise<Shortage | null>
}

/** Asks questions, and holds the state of the last one. */
export interface AskState {
  readonly shortage: Shortage | null
  /** A question is on its way, and not shown yet. */
  readonly isAsking: boolean
  readonly ask: (question: Question) => Promise<void>
}

interface Found {
  readonly shortage: Shortage
  /** Of the time when it was told. */
  readonly balanceUsd: number
  /** Null for what stands in the message box when it is first shown. */
  readonly about: string | null
}

/**
 * Asks questions, and says why one could not be asked.
 *
 * @param from the conversation that the question continues: another object as soon as a question is stored
 * @param about what stands in the message box, and for whom: whoever changes it is told of no shortage any more
 */
export function useAsk(from: Conversation | Draft, about: string): AskState {
  const errorText = useErrorText()
  // On a slow network the code is still loading: a second press would ask, and pay for, the same question twice.
  const [askedFrom, setAskedFrom] = useState<typeof from | null>(null)
  const isAsking = askedFrom === from
  const { balanceUsd, loading, error } = useBalance()
  const [found, setFound] = useState<Found | null>(null)
  const shortage = found?.about === about ? found.shortage : null
  // A refused edit has gone to the message box by now.
  if (found?.about === null) setFound({ ...found, about })
  const isKnown = !loading && error === null
  // The notice disappears once the balance has grown, if it was spent elsewhere from what that has left.
  if (found && isKnown && balanceUsd !== found.balanceUsd) {
    setFound(balanceUsd < found.balanceUsd ? { ...found, balanceUsd } : null)
  }
  const reachUsd = isKnown ? balanceUsd : Number.POSITIVE_INFINITY
  const setShortage = (next: Shortage | null, itsAbout: string | null = about) =>
    setFound(next && { shortage: next, balanceUsd, about: itsAbout })

  const run = async ({ model, estimate, most, conversation, ask }: Question) => {
    if (isAsking) return
    if (isKnown && balanceUsd === 0 && !isFree(model)) {
      setShortage({ requiredUsd: estimate === null ? null : formatUsd(estimate), availableUsd: '0' })
      return
    }
    setShortage(null)
    setAskedFrom(from)
    const usd = estimate === null ? null : nanoToUsdNumber(estimate)
    // What the balance does not cover is refused, or answered for less.
    const aboutUsd = usd !== null && usd <= reachUsd ? usd : null
    const mostUsd = most === null ? null : Math.min(nanoToUsdNumber(most), reachUsd)
    try {
      if (!(await acceptsPrice(aboutUsd, { mostUsd, spentUsd: spentUsd(conversation) }))) return
      const { messageUsd, conversationUsd } = spendingLimitsStore.getSnapshot()
      const isLimited = messageUsd !== null || conversationUsd !== null
      const next = await ask(isLimited ? most : null)
      const isShown = selectedConversationStore.selectedId() === (conversation?.id ?? null)
      setShortage(next, isShown ? null : about)
    } catch (thrown) {
      // Without a code it is a part of the page that could not be loaded.
      noticeStore.show('error', errorText(thrown instanceof ApiCallError ? thrown.code : 'part_missing'))
    } finally {
      setAskedFrom(latest => (latest === from ? null : latest))
    }
  }
  const latestRun = useRef(run)
  useEffect(() => {
    latestRun.current = run
  })
  return { shortage, isAsking, ask: useCallback((question: Question) => latestRun.current(question), []) }
}
