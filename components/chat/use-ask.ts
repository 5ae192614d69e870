import { useTranslations } from 'next-intl'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useBalance } from '@/components/credit/use-balance'
import type { Shortage } from '@/lib/exchange/client/browser-exchanges'
import type { Conversation } from '@/lib/local/domain/conversation'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { readSpendingLimits, spentUsd } from '@/lib/local/spending-limits'
import { formatUsd, type Nano, nanoToUsdNumber } from '@/lib/money/nano'
import { acceptsPrice } from './asked-price'
import { type ChatModel, isFree } from './chat-model'
import type { Draft } from './draft-store'

/** What somebody wants to know of a model. */
export interface Question {
  readonly model: ChatModel
  readonly estimate: Nano | null
  /** What is promised that it costs at the most; null where nothing is. */
  readonly most: Nano | null
  /** Where it is asked; null: in a new conversation. */
  readonly conversation: Conversation | null
  /** For no more than that; null: for what is promised. */
  readonly ask: (mostAccepted: Nano | null) => Promise<Shortage | null>
}

/** What is pressed to ask, and how that stands. */
export interface AskState {
  readonly shortage: Shortage | null
  /** Something is on its way out, and not yet to be seen. */
  readonly isAsking: boolean
  readonly ask: (question: Question) => Promise<void>
}

/**
 * Asking, and the state that says why a question could not be asked.
 * @param from what it would go on from: another object as soon as a question is stored
 */
export function useAsk(from: Conversation | Draft): AskState {
  const t = useTranslations('errors')
  // On a slow network what asks is still on its way: pressed again, the same would be asked, and paid for, twice.
  const [askedFrom, setAskedFrom] = useState<typeof from | null>(null)
  const isAsking = askedFrom === from
  const { balanceUsd, loading, error } = useBalance()
  const [found, setFound] = useState<{ shortage: Shortage; balanceUsd: number } | null>(null)
  // A balance that has grown since answers the notice by itself.
  const shortage = found && balanceUsd <= found.balanceUsd ? found.shortage : null
  const isKnownEmpty = balanceUsd === 0 && !loading && error === null
  const setShortage = (next: Shortage | null) => setFound(next && { shortage: next, balanceUsd })

  const run = async ({ model, estimate, most, conversation, ask }: Question) => {
    if (isAsking) return
    if (isKnownEmpty && !isFree(model)) {
      setShortage({ requiredUsd: estimate === null ? null : formatUsd(estimate), availableUsd: '0' })
      return
    }
    setShortage(null)
    setAskedFrom(from)
    const usd = estimate === null ? null : nanoToUsdNumber(estimate)
    // What the balance does not reach for is refused, or answered for less.
    const isInReach = usd !== null && usd <= balanceUsd
    const mostUsd = most === null ? null : Math.min(nanoToUsdNumber(most), balanceUsd)
    try {
      if (isInReach && !(await acceptsPrice(usd, { mostUsd, spentUsd: spentUsd(conversation) }))) return
      const { messageUsd, conversationUsd } = readSpendingLimits()
      const isLimited = messageUsd !== null || conversationUsd !== null
      setShortage(await ask(isLimited ? most : null))
    } catch {
      noticeStore.show('error', t('network'))
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
