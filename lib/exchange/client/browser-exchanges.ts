import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { conversations, untilArchived } from '@/lib/local/conversations/conversations'
import { creditIdStore } from '@/lib/local/credit-id'
import type { Conversation } from '@/lib/local/domain/conversation'
import { findTurn, removeMessages } from '@/lib/local/domain/turns'
import { heldMarks, withLock } from '@/lib/local/storage/locks'
import { createUuid } from '@/lib/local/uuid'
import { REST_LOST } from './answer'
import { changeAnswer, findMessage, findPlace, type Place } from './answer-message'
import { BrowserExchange, type ExchangePage } from './browser-exchange'
import { EXCHANGE_KINDS, type ExchangeKindName } from './exchange-kinds'
import { ExchangeRequests } from './exchange-requests'
import type { ExchangeResult } from './follow-exchange'
import {
  createPendingExchanges,
  isSent,
  type PendingExchange,
  type PendingExchanges,
} from './pending-exchanges'
import { createResumeKey } from './resume-keys'
import { STOP_PAUSE_MS } from './stop-exchange'

/** Longer than a browser under load takes to tell one tab what another has written to local storage. */
const TOLD_WITHIN_MS = 5_000

/** Why a question went back into the composer: the balance does not reach. Decimal dollars, if told. */
export interface Shortage {
  readonly requiredUsd: string | null
  readonly availableUsd: string | null
}

/**
 * Runs exchanges for conversations: whatever happens to the page, each ends in its message, once. It
 * lives as long as the page does, so that looking at another conversation stops nothing.
 */
export class BrowserExchanges {
  readonly #page: ExchangePage
  readonly #pending: PendingExchanges
  readonly #endListeners: ((answer: Place) => void)[] = []
  /** Those that this tab follows, by the message of their answer. */
  readonly #running = new Map<string, BrowserExchange>()
  readonly #lookedAfter = new Set<string>()

  constructor(page: ExchangePage) {
    this.#page = page
    this.#pending = createPendingExchanges(page.world.now)
    this.#pending.subscribe(noted => this.#hearOtherTab(noted))
  }

  /**
   * Sends the question before message `answerId`, which stands in the saved conversation already. Null
   * when it ended in that message, or was stopped: what a stop leaves to come follows by itself. On a
   * shortage, question and answer are taken out of the conversation; one of several answers says so itself.
   * @param mostUsd what was promised that it costs at the most, in decimal dollars
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
      isStopped: false,
      startedAtMs: this.#page.world.now(),
    }
    this.#page.live.begin(answerId, kind)
    this.#pending.put(exchange)
    const result = await new Promise<ExchangeResult | null>((resolve, reject) => {
      const run = () => {
        const noted = this.#pending.find(answerId)
        // Another tab was quicker, and has ended it.
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

  /** Calls back whenever an answer that this tab followed stands in its message, however it ended. */
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
   * An answer that is shown as on its way is fetched, once no other tab does, or closed where nothing is left
   * to fetch it with. A tab that asks stores its question before it can note it and lock it, one that has
   * ended it lets go of the lock before the others are told of the end, and one that is reloaded takes it
   * again: none of these has left it.
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

  /** The tab that follows it stops it by this note; the server is told from here where that tab is asleep. */
  async #stopElsewhere(answerId: string): Promise<void> {
    const { world } = this.#page
    const creditId = creditIdStore.getSnapshot()
    const exchange = this.#pending.find(answerId)
    if (!exchange || exchange.isStopped || !creditId) return
    this.#pending.put({ ...exchange, isStopped: true })
    // At once where that tab is gone; else it waits until that tab has ended it.
    void this.#resume(answerId)
    await world.wait(STOP_PAUSE_MS, new AbortController().signal)
    // One whose conversation was deleted with it is paid for all the same.
    if ((findMessage(exchange)?.status ?? 'streaming') !== 'streaming') return
    const keys = { ...exchange, creditId }
    const requests = new ExchangeRequests(world.fetch, EXCHANGE_KINDS[exchange.kind].path, keys)
    // Lost on its way: whoever follows it next asks until it is stopped.
    await requests.stop(exchange.exchangeId).catch(() => undefined)
  }

  #hearOtherTab(noted: readonly PendingExchange[]): void {
    for (const [answerId, running] of this.#running) {
      if (noted.some(({ messageId, isStopped }) => messageId === answerId && isStopped)) running.stop()
      // Written over by a tab that did not know of it yet.
      else if (!this.#pending.find(answerId)) running.note()
    }
  }

  async #resume(answerId: string): Promise<void> {
    if (this.isRunning(answerId)) return
    await withLock(lockName(answerId), async () => {
      const exchange = this.#pending.find(answerId)
      if (!exchange) return
      // Its tab may have written a moment ago, and this one not have been told yet.
      conversations.refresh()
      await this.#runOn(exchange)
    })
  }

  /** Under its lock: on from where another tab has brought it to. Null when that was its end. */
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
    const creditId = creditIdStore.getSnapshot()
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
    // A question that the balance does not reach is taken out at once, and its answer never seen to fail.
    if (!result.error) await this.#page.world.giveWay()
    live.end(messageId)
    for (const listener of this.#endListeners) listener({ conversationId, messageId })
    // A page that is reloaded before that finds the answer begun, and this note to fetch the rest with.
    await untilArchived()
    this.#pending.remove(messageId)
    return result
  }
}

function lockName(answerId: string): string {
  return `chat-exchange:${answerId}`
}
