import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { conversations, untilArchived } from '@/lib/local/conversations/conversations'
import { creditIdFirstSegment, creditIdStore } from '@/lib/local/credit-id'
import { creditReplacementStore } from '@/lib/local/credit-replacement'
import type { Conversation } from '@/lib/local/domain/conversation'
import { findTurn, removeMessages } from '@/lib/local/domain/turns'
import { heldMarks, withLock } from '@/lib/local/storage/locks'
import { createUuid } from '@/lib/local/uuid'
import { type ExchangeResult, REST_LOST } from './answer'
import { changeAnswer, findMessage, findPlace, type Place } from './answer-message'
import { BrowserExchange, type ExchangePage } from './browser-exchange'
import { EXCHANGE_KINDS, type ExchangeKindName } from './exchange-kinds'
import { ExchangeRequests } from './exchange-requests'
import {
  createPendingExchanges,
  isSent,
  type PendingExchange,
  type PendingExchanges,
} from './pending-exchanges'
import { createResumeKey } from './resume-keys'
import { STOP_PAUSE_MS } from './stop-exchange'

/** Longer than a loaded browser takes to pass on what another tab wrote to local storage. */
const TOLD_WITHIN_MS = 5_000

/** Why a question went back into the composer: the balance is too low. Decimal dollars, if the server sent them. */
export interface Shortage {
  readonly requiredUsd: string | null
  readonly availableUsd: string | null
}

/**
 * Runs exchanges for conversations: whatever happens to the page, each one ends in its message, once. It lives as long
 * as the page, so that looking at another conversation stops nothing.
 */
export class BrowserExchanges {
  readonly #page: ExchangePage
  readonly #pending: PendingExchanges
  readonly #endListeners: ((answer: Place) => void)[] = []
  /** The exchanges that this tab follows, by the message of their answer. */
  readonly #running = new Map<string, BrowserExchange>()
  readonly #lookedAfter = new Set<string>()

  constructor(page: ExchangePage) {
    this.#page = page
    this.#pending = createPendingExchanges(page.world.now)
    this.#pending.subscribe(noted => this.#hearOtherTab(noted))
  }

  /**
   * Sends the question before message `answerId`, both of which the saved conversation already has. Resolves to null
   * once the answer has ended, or was stopped: what arrives after a stop is still written. On a shortage, question and
   * answer are removed from the conversation; one of several answers shows the shortage itself.
   * @param mostUsd the promised maximum, in decimal dollars
   */
  async ask(
    conversation: Conversation,
    questionId: string,
    answerId: string,
    kind: ExchangeKindName = 'chat',
    mostUsd: string | null = null,
  ): Promise<Shortage | null> {
    const exchange: PendingExchange = {
      conversationId: conversation.id,
      messageId: answerId,
      kind,
      idempotencyKey: createUuid(),
      resumeKey: createResumeKey(),
      mostUsd,
      exchangeId: null,
      bodyHash: null,
      creditSegment: null,
      isStopped: false,
      startedAtMs: this.#page.world.now(),
    }
    this.#page.live.begin(answerId, kind)
    this.#pending.put(exchange)
    const result = await new Promise<ExchangeResult | null>((resolve, reject) => {
      const run = () => {
        const noted = this.#pending.find(answerId)
        // Another tab was quicker and has finished it.
        if (!noted) conversations.refresh()
        return this.#runOn(noted ?? exchange, () => resolve(null))
      }
      withLock(lockName(answerId), run).then(resolve, reject)
    })
    if (result?.error?.code !== 'insufficient_credit' || result.answer.text !== '') return null
    const { comparison, merges } = findTurn(conversation, answerId) ?? {}
    const isOneOfSeveral = comparison !== undefined && !merges
    if (!isOneOfSeveral) {
      conversationStore.change(conversation.id, current => removeMessages(current, [questionId, answerId]))
    }
    return {
      requiredUsd: result.error.requiredUsd ?? null,
      availableUsd: result.error.availableUsd ?? null,
    }
  }

  /** Calls back whenever an answer that this tab followed is complete in its message, however it ended. */
  onEnd(listener: (answer: Place) => void): void {
    this.#endListeners.push(listener)
  }

  /** Whichever tab follows the answer. */
  stop(answerId: string): void {
    const running = this.#running.get(answerId)
    if (running) running.stop()
    else void this.#stopElsewhere(answerId)
  }

  isRunning(answerId: string): boolean {
    return this.#running.has(answerId)
  }

  /** Picks up every answer that a reload or another tab's end left behind. */
  async resumeAll(): Promise<void> {
    await Promise.all(this.#pending.list().map(exchange => this.#resume(exchange.messageId)))
  }

  /**
   * Fetches an answer that is shown as pending but that no other tab follows, or closes it if there is nothing to fetch
   * it with. Three cases only look abandoned: a tab that asks stores its question before its note and its lock; a tab
   * that has finished releases the lock before the others learn of the end; a tab that reloads takes the lock again.
   */
  async lookAfter(conversationId: string, answerId: string): Promise<void> {
    if (this.isRunning(answerId) || this.#lookedAfter.has(answerId)) return
    this.#lookedAfter.add(answerId)
    const lock = lockName(answerId)
    try {
      do {
        await withLock(lock, async () => undefined)
        await this.#page.world.wait(TOLD_WITHIN_MS, new AbortController().signal)
      } while ((await heldMarks(lock)).length > 0)
      if (this.#pending.find(answerId)) await this.#resume(answerId)
      else await withLock(lock, async () => this.#close({ conversationId, messageId: answerId }))
    } finally {
      this.#lookedAfter.delete(answerId)
    }
  }

  #close(place: Place): void {
    if (this.#pending.find(place.messageId)) return
    conversations.refresh()
    changeAnswer(place, message =>
      message.status === 'streaming' ? { ...message, status: 'failed', error_code: REST_LOST.code } : message,
    )
  }

  /** The tab that follows it stops it by this note; if that tab is asleep, this one stops it at the server. */
  async #stopElsewhere(answerId: string): Promise<void> {
    const { world } = this.#page
    const exchange = this.#pending.find(answerId)
    const creditId = exchange && creditOf(exchange)
    if (!exchange || exchange.isStopped || !creditId) return
    this.#pending.put({ ...exchange, isStopped: true })
    // At once if that tab is gone; else after that tab has finished.
    void this.#resume(answerId)
    await world.wait(STOP_PAUSE_MS, new AbortController().signal)
    // It is charged even if its conversation was deleted.
    if ((findMessage(exchange)?.status ?? 'streaming') !== 'streaming') return
    const keys = { ...exchange, creditId }
    const requests = new ExchangeRequests(world.fetch, EXCHANGE_KINDS[exchange.kind].path, keys)
    // If this request is lost, the tab that follows it next asks until it is stopped.
    await requests.stop(exchange.exchangeId).catch(() => undefined)
  }

  #hearOtherTab(noted: readonly PendingExchange[]): void {
    for (const [answerId, running] of this.#running) {
      if (noted.some(({ messageId, isStopped }) => messageId === answerId && isStopped)) running.stop()
      // A tab that did not know of the note yet has overwritten it.
      else if (!this.#pending.find(answerId)) running.note()
    }
  }

  async #resume(answerId: string): Promise<void> {
    if (this.isRunning(answerId)) return
    await withLock(lockName(answerId), async () => {
      const exchange = this.#pending.find(answerId)
      if (!exchange) return
      // Its tab may have written just now, and this one may not have seen it yet.
      conversations.refresh()
      await this.#runOn(exchange)
    })
  }

  /** Under its lock: continues where another tab left off. Null if that tab had finished it. */
  async #runOn(exchange: PendingExchange, onStop = () => {}): Promise<ExchangeResult | null> {
    const { messageId, isStopped } = exchange
    if (isSent(exchange)) await findPlace(exchange)
    const status = findMessage(exchange)?.status
    if (status === 'streaming' || (isStopped && status === 'stopped')) return this.#run(exchange, onStop)
    this.#pending.remove(messageId)
    this.#page.live.end(messageId)
    return null
  }

  async #run(exchange: PendingExchange, onStop: () => void): Promise<ExchangeResult | null> {
    const { conversationId, messageId } = exchange
    const { live } = this.#page
    const creditId = creditOf(exchange)
    const conversation = conversationStore.get(conversationId)
    if (!conversation || !creditId) {
      live.end(messageId)
      return null
    }
    const context = { page: this.#page, pending: this.#pending }
    const running = new BrowserExchange({ ...context, exchange, conversation, creditId, onStop })
    this.#running.set(messageId, running)
    const result = await running.ended
    this.#running.delete(messageId)
    // A question that the balance cannot pay is removed at once, so that its answer is never shown as failed.
    if (!result.error) await this.#page.world.giveWay()
    live.end(messageId)
    for (const listener of this.#endListeners) listener({ conversationId, messageId })
    // A page that is reloaded before that finds the answer begun, and this note to fetch the rest with.
    await untilArchived()
    this.#pending.remove(messageId)
    return result
  }
}

/** This browser's credit or, if that has replaced the one that the exchange was sent with, which is found by it alone. */
function creditOf({ creditSegment }: PendingExchange): string | null {
  const replacedId = creditReplacementStore.getSnapshot()?.fromCreditId
  const isReplaced = replacedId !== undefined && creditIdFirstSegment(replacedId) === creditSegment
  return isReplaced ? replacedId : creditIdStore.getSnapshot()
}

function lockName(answerId: string): string {
  return `chat-exchange:${answerId}`
}
