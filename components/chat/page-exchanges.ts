import { setBalanceFromAnswer } from '@/components/credit/balance-store'
import type { BrowserExchanges } from '@/lib/exchange/client/browser-exchanges'
import { createLiveAnswers } from '@/lib/exchange/client/live-answers'
import { createFrameScheduler } from '@/lib/exchange/client/show-pace'
import { openedOnce } from '@/lib/local/database/opened-once'
import { guardedStorage } from '@/lib/local/storage/guarded-storage'
import { PENDING_EXCHANGES_KEY } from '@/lib/local/storage/storage-keys'
import { exchangeParts } from './exchange-parts'

/** The answers in progress, for the messages that show them. */
export const liveAnswers = createLiveAnswers(createFrameScheduler())

type EndListener = Parameters<BrowserExchanges['onEnd']>[0]

const endListeners: EndListener[] = []

/** The code that runs exchanges is loaded with the first question, or for an answer in progress. */
const open = openedOnce(importExchanges)

async function importExchanges(): Promise<BrowserExchanges> {
  if (!exchangeParts.loaded) await exchangeParts.load()
  if (!exchangeParts.loaded) throw new Error('The code that runs exchanges was not loaded.')
  const { BrowserExchanges, pageWorld } = exchangeParts.loaded
  const exchanges = new BrowserExchanges({
    world: pageWorld,
    live: liveAnswers,
    onBalance: (creditId, balanceUsd, costUsd) => void setBalanceFromAnswer(creditId, balanceUsd, costUsd),
  })
  exchanges.onEnd(place => {
    for (const listener of endListeners) listener(place)
  })
  return exchanges
}

/** One for the whole page; exchanges continue while other conversations or pages are shown. */
export const pageExchanges = {
  ask: async (...question: Parameters<BrowserExchanges['ask']>) => (await open()).ask(...question),
  stop(answerId: string): void {
    open().then(
      exchanges => exchanges.stop(answerId),
      () => undefined,
    )
  },
  async resumeAll(): Promise<void> {
    if (guardedStorage.read(PENDING_EXCHANGES_KEY) !== null) await (await open()).resumeAll()
  },
  async lookAfter(conversationId: string, answerId: string): Promise<void> {
    await (await open()).lookAfter(conversationId, answerId)
  },
  onEnd(listener: EndListener): void {
    endListeners.push(listener)
  },
}
