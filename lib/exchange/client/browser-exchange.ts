import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { creditIdFirstSegment, creditIdStore } from '@/lib/local/credit-id'
import type { Conversation } from '@/lib/local/domain/conversation'
import { allMessages, pathTo } from '@/lib/local/domain/turns'
import { type Answer, EMPTY_ANSWER, type ExchangeResult, isWhole, REST_LOST } from './answer'
import { createStopwatch } from './answer-extras'
import { changeAnswer, draftOf, endOf, findPlace, withAnswer } from './answer-message'
import { EXCHANGE_KINDS } from './exchange-kinds'
import { type ExchangePhase, followExchange } from './follow-exchange'
import type { LiveAnswers } from './live-answers'
import type { ExchangeWorld } from './page-world'
import { isSent, type PendingExchange, type PendingExchanges, WAITING_MS_MAX } from './pending-exchanges'
import { sha256Hex } from './resume-keys'

/** The page around the exchanges. */
export interface ExchangePage {
  readonly world: ExchangeWorld
  readonly live: LiveAnswers
  /** Dollars left on the credit that paid, or NaN if that was not told, and what the answer cost. */
  readonly onBalance: (creditId: string, balanceUsd: number, costUsd: number) => void
}

interface BrowserExchangeInput {
  readonly page: ExchangePage
  readonly pending: PendingExchanges
  readonly exchange: PendingExchange
  readonly conversation: Conversation
  readonly creditId: string
  readonly onStop: () => void
}

/** One exchange that this tab follows to its end: keeps its note, its message and the screen up to date. */
export class BrowserExchange {
  readonly ended: Promise<ExchangeResult>
  readonly #input: BrowserExchangeInput
  readonly #keys
  readonly #stopwatch
  readonly #followed
  #noted: PendingExchange
  #answer = EMPTY_ANSWER
  #isStopped = false

  constructor(input: BrowserExchangeInput) {
    const { page, exchange, creditId } = input
    const { idempotencyKey, resumeKey, mostUsd, messageId } = exchange
    this.#input = input
    this.#noted = exchange
    this.#keys = { creditId, idempotencyKey, resumeKey, mostUsd }
    this.#stopwatch = createStopwatch(page.world.now)
    page.live.begin(messageId, exchange.kind)
    this.#followed = followExchange(
      {
        ...exchange,
        kind: EXCHANGE_KINDS[exchange.kind],
        keys: this.#keys,
        isSent: isSent(exchange),
        prepareBody: () => this.#prepareBody(),
      },
      {
        onExchangeId: exchangeId => this.note({ exchangeId }),
        onAnswer: answer => this.#show(answer),
        onPhase: phase => this.#enter(phase),
      },
      page.world,
    )
    this.ended = this.#end()
  }

  stop(): void {
    if (this.#isStopped) return
    this.#isStopped = true
    this.note({ isStopped: true })
    this.#writeStopped()
    this.#followed.stop()
    this.#input.onStop()
  }

  note(change: Partial<PendingExchange> = {}): void {
    this.#noted = { ...this.#noted, ...change }
    this.#input.pending.put(this.#noted)
  }

  async #prepareBody(): Promise<string | null> {
    const { page, conversation } = this.#input
    const { messageId, kind } = this.#noted
    if (!isSent(this.#noted)) {
      // It may have waited for the network for days, while the conversation changed.
      this.#keys.creditId = creditIdStore.getSnapshot() ?? ''
      if (this.#keys.creditId === '' || !this.#isStillMeant()) this.stop()
    }
    const messages = pathTo(conversation, messageId)
    // Including sibling answers, since an answer may be made from others.
    const branches = [...allMessages(conversation)]
    const body = await EXCHANGE_KINDS[kind].buildBody({ ...conversation, messages, branches }, messageId)
    const bodyHash = await sha256Hex(`${this.#keys.creditId}\n${body}`)
    const before = this.#noted.bodyHash
    // After a reload the conversation may have changed, so that this would be another request, or the credit may have,
    // so that it would be paid a second time.
    if (before !== null && before !== bodyHash) return null
    if (before === null) this.#stopwatch.start()
    const creditSegment = creditIdFirstSegment(this.#keys.creditId)
    this.note(before === null ? { bodyHash, creditSegment, startedAtMs: page.world.now() } : { bodyHash })
    return body
  }

  /** For a question that was not sent yet. */
  #isStillMeant(): boolean {
    const { page, pending } = this.#input
    const { conversationId, messageId, startedAtMs } = this.#noted
    if (page.world.now() - startedAtMs >= WAITING_MS_MAX) return false
    return !pending.find(messageId)?.isStopped && !conversationStore.isRemoved(conversationId, messageId)
  }

  #show(answer: Answer): void {
    const { conversationId, messageId } = this.#noted
    this.#answer = answer
    this.#stopwatch.look(answer)
    this.#input.page.live.setAnswer(messageId, answer)
    // Only this conversation: writing the whole list would hold up the page.
    conversationStore.scheduleSave(conversationId, () => draftOf(this.#noted, this.#answer), messageId)
  }

  #enter(phase: ExchangePhase): void {
    const { live } = this.#input.page
    const { messageId } = this.#noted
    if (phase !== 'stopped') {
      live.setPhase(messageId, phase)
      return
    }
    // The last words and the exact price are written when they arrive; nobody has to wait for them.
    this.#writeStopped()
    live.end(messageId)
  }

  /** Frees the composer, whatever is still to come. */
  #writeStopped(): void {
    const answer = this.#answer
    // If it is not known yet, the end tells it.
    if (answer.balanceUsd !== null) this.#tellBalance(answer)
    changeAnswer(this.#noted, message => ({
      ...withAnswer(message, this.#noted, answer),
      status: 'stopped',
      receipt: answer.receipt ?? undefined,
    }))
  }

  async #end(): Promise<ExchangeResult> {
    const { page, exchange, conversation } = this.#input
    const result = this.#withStopElsewhere(await this.#followed.ended)
    await findPlace(exchange, conversation)
    this.#tellBalance(result.answer)
    await page.world.giveWay()
    const endedAt = new Date(page.world.now()).toISOString()
    const timing = this.#stopwatch.read(result.answer)
    changeAnswer(this.#noted, await endOf(this.#noted, result, { endedAt, timing }))
    return result
  }

  /** An answer that another tab stopped may end before this one learns of it; it is not complete then. */
  #withStopElsewhere(result: ExchangeResult): ExchangeResult {
    const { isStopped, messageId } = this.#noted
    if (isStopped || !this.#input.pending.find(messageId)?.isStopped) return result
    if (result.status === 'completed' && !isWhole(result.answer)) return { ...result, status: 'stopped' }
    return result.error && result.answer.receipt === null ? { ...result, error: REST_LOST } : result
  }

  #tellBalance({ balanceUsd, receipt }: Answer): void {
    const { onBalance } = this.#input.page
    onBalance(this.#keys.creditId, Number(balanceUsd ?? Number.NaN), Number(receipt?.cost_usd ?? 0))
  }
}
