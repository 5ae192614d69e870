import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { useBalance } from '@/components/credit/use-balance'
import type { Shortage } from '@/lib/exchange/client/browser-exchanges'
import type { Conversation } from '@/lib/local/domain/conversation'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { formatUsd, type Nano } from '@/lib/money/nano'
import { answerAgain, askQuestion } from './ask-question'
import { type ChatModel, isFree } from './chat-model'
import type { Draft } from './draft-store'

/** Sending and asking again, and the state that says why a question could not be sent. */
export function useAsk(conversation: Conversation | null, model: ChatModel | null, estimate: Nano | null) {
  const t = useTranslations('errors')
  const { balanceUsd, loading, error } = useBalance()
  const [found, setFound] = useState<{ shortage: Shortage; balanceUsd: number } | null>(null)
  // A balance that has grown since answers the notice by itself.
  const shortage = found && balanceUsd <= found.balanceUsd ? found.shortage : null

  const isKnownEmpty = balanceUsd === 0 && !loading && error === null && model !== null && !isFree(model)
  const setShortage = (next: Shortage | null) => setFound(next && { shortage: next, balanceUsd })

  const run = async (ask: () => Promise<Shortage | null>) => {
    if (isKnownEmpty) {
      setShortage({ requiredUsd: estimate === null ? null : formatUsd(estimate), availableUsd: '0' })
      return
    }
    setShortage(null)
    try {
      setShortage(await ask())
    } catch {
      noticeStore.show('error', t('network'))
    }
  }

  return {
    shortage,
    send: (draft: Draft) =>
      model ? run(() => askQuestion({ conversation, draft, model })) : Promise.resolve(),
    retry: (answerId: string) =>
      model && conversation ? run(() => answerAgain(conversation, answerId, model)) : Promise.resolve(),
  }
}
