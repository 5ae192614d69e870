import { setBalanceFromAnswer } from '@/components/credit/balance-store'
import { BrowserExchanges } from '@/lib/exchange/client/browser-exchanges'
import { createFrameScheduler, createLiveAnswers } from '@/lib/exchange/client/live-answers'
import { pageWorld } from '@/lib/exchange/client/page-world'

/** Answers on their way, for the messages that show them. */
export const liveAnswers = createLiveAnswers(createFrameScheduler())

/** One for the page: it goes on while other conversations, or other pages of the app, are looked at. */
export const browserExchanges = new BrowserExchanges({
  world: pageWorld,
  live: liveAnswers,
  onBalance: (balanceUsd, costUsd) => void setBalanceFromAnswer(balanceUsd, costUsd),
})
