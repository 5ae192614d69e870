import { setBalanceFromAnswer } from '@/components/credit/balance-store'
import { ChatEngine } from '@/lib/exchange/client/chat-engine'
import { createFrameScheduler, createLiveAnswers } from '@/lib/exchange/client/live-answers'
import { pageWorld } from '@/lib/exchange/client/page-world'
import { createPendingExchanges } from '@/lib/exchange/client/pending-exchanges'
import { createResumeKey, createUuid } from '@/lib/exchange/client/random-keys'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { creditIdStore } from '@/lib/local/credit-id'
import { readMaxContextTokens } from '@/lib/local/max-context'
import { guardedStorage } from '@/lib/local/storage/guarded-storage'
import { withLock } from '@/lib/local/storage/locks'
import { resolveDocument } from './documents'
import { drawingRunner } from './drawing-runner'
import { keepPicture, resolvePicture } from './pictures'

const nowMs = () => Date.now()

/** Answers on their way, for the messages that show them. */
export const liveAnswers = createLiveAnswers(createFrameScheduler())

/** One for the page: it goes on while other conversations, or other pages of the app, are looked at. */
export const chatEngine = new ChatEngine({
  world: pageWorld,
  conversations: conversationStore,
  pending: createPendingExchanges(guardedStorage, nowMs),
  live: liveAnswers,
  readCreditId: creditIdStore.getSnapshot,
  readContextTokenCountMax: () => readMaxContextTokens(),
  withLock,
  drawing: drawingRunner,
  resolveParts: { picture: resolvePicture, document: resolveDocument },
  keepPicture,
  onBalance: balanceUsd => void setBalanceFromAnswer(balanceUsd),
  createUuid,
  createResumeKey,
  nowMs,
})
