import { useTranslations } from 'next-intl'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useBalance } from '@/components/credit/use-balance'
import type { Shortage } from '@/lib/exchange/client/browser-exchanges'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { formatUsd, type Nano, nanoToUsdNumber } from '@/lib/money/nano'
import { acceptsPrice } from './asked-price'
import { type ChatModel, isFree } from './chat-model'

/** What somebody wants to know of a model. */
export interface Question {
  readonly model: ChatModel
  readonly estimate: Nano | null
  readonly ask: () => Promise<Shortage | null>
}

/** Asking, and the state that says why a question could not be asked. */
export function useAsk() {
  const t = useTranslations('errors')
  const { balanceUsd, loading, error } = useBalance()
  const [found, setFound] = useState<{ shortage: Shortage; balanceUsd: number } | null>(null)
  // A balance that has grown since answers the notice by itself.
  const shortage = found && balanceUsd <= found.balanceUsd ? found.shortage : null
  const isKnownEmpty = balanceUsd === 0 && !loading && error === null
  const setShortage = (next: Shortage | null) => setFound(next && { shortage: next, balanceUsd })

  const run = async ({ model, estimate, ask }: Question) => {
    if (isKnownEmpty && !isFree(model)) {
      setShortage({ requiredUsd: estimate === null ? null : formatUsd(estimate), availableUsd: '0' })
      return
    }
    setShortage(null)
    const usd = estimate === null ? null : nanoToUsdNumber(estimate)
    // What the balance does not reach for is refused, or answered for less.
    const isInReach = usd !== null && usd <= balanceUsd
    if (isInReach && !(await acceptsPrice(usd))) return
    try {
      setShortage(await ask())
    } catch {
      noticeStore.show('error', t('network'))
    }
  }
  const latestRun = useRef(run)
  useEffect(() => {
    latestRun.current = run
  })
  return { shortage, ask: useCallback((question: Question) => latestRun.current(question), []) }
}
