import {
  type ContentPart,
  type Conversation,
  type Message,
  type Receipt,
  removeMessages,
  replaceMessage,
} from '@/lib/local/domain/conversation'
import type { ExchangeKind, ExchangeRunner } from './exchange-runner'
import type { LiveAnswers } from './live-answers'
import { keysOf, type PendingExchange, type PendingExchanges } from './pending-exchanges'
import { buildRequestBody, type ResolveParts } from './request-body'
import {
  CONNECTION_LOST,
  type ExchangeResult,
  type ExchangeWorld,
  REST_LOST,
  runExchange,
} from './run-exchange'
import type { AnswerError } from './stream-event'
import type { Answer } from './stream-reducer'

/** What the engine needs of the page it runs in. */
export interface ChatPorts {
  readonly world: ExchangeWorld
  readonly conversations: {
    get(id: string): Conversation | null
    saveConversation(conversation: Conversation): boolean
    scheduleSave(id: string, readDraft: () => Conversation | null): void
  }
  readonly pending: PendingExchanges
  readonly live: LiveAnswers
  readonly readCreditId: () => string | null
  readonly readContextTokenCountMax: () => number
  /** Runs the task while no other tab runs one under the same name. */
  readonly withLock: <Result>(name: string, task: () => Promise<Result>) => Promise<Result>
  readonly resolveParts: ResolveParts
  /** Asks for pictures, of models that do nothing else. */
  readonly drawing: ExchangeRunner
  /** Puts away a picture that a model drew; returns the address to keep in the message. */
  readonly keepPicture: (dataUrl: string, createdAt: string) => Promise<string>
  /** Dollars left, as the end of an answer told. */
  readonly onBalance: (balanceUsd: number) => void
  readonly createUuid: () => string
  readonly createResumeKey: () => string
  readonly nowMs: () => number
}

/** Why a question went back into the composer: the balance does not reach. Decimal dollars, if told. */
export interface Shortage {
  readonly requiredUsd: string | null
  readonly availableUsd: string | null
}

/** How long the server knows an idempotency key. */
const REPEAT_WITHIN_MS = 10 * 60_000

/**
 * Runs exchanges for conversations: whatever happens to the page, each ends in its message, once. It
 * lives as long as the page does, so that looking at another conversation stops nothing.
 */
export class ChatEngine {
  readonly #ports: ChatPorts
  readonly #stops = new Map<string, () => void>()
  readonly #runners: Readonly<Record<ExchangeKind, ExchangeRunner>>

  constructor(ports: ChatPorts) {
    this.#ports = ports
    this.#runners = {
      chat: {
        buildBody: (conversation, answerId) =>
          buildRequestBody(conversation, answerId, ports.readContextTokenCountMax(), ports.resolveParts),
        run: runExchange,
      },
      image: ports.drawing,
    }
  }

  /**
   * Sends the question before message `answerId`, which stands in the saved conversation already. Null
   * when it ended in that message; on a shortage, question and answer are taken out of the conversation.
   */
  async ask(
    conversation: Conversation,
    questionId: string,
    answerId: string,
    kind: ExchangeKind = 'chat',
  ): Promise<Shortage | null> {
    const { pending, live, createUuid, createResumeKey, nowMs } = this.#ports
    const exchange: PendingExchange = {
      conversationId: conversation.id,
      messageId: answerId,
      idempotencyKey: createUuid(),
      resumeKey: createResumeKey(),
      exchangeId: null,
      startedAtMs: nowMs(),
      kind,
    }
    live.begin(answerId)
    pending.put(exchange)
    const result = await this.#ports.withLock(lockName(answerId), () => this.#run(exchange))
    if (result?.error?.code !== 'insufficient_credit' || result.answer.text !== '') return null
    this.#change(conversation.id, current => removeMessages(current, [questionId, answerId]))
    return {
      requiredUsd: result.error.requiredUsd ?? null,
      availableUsd: result.error.availableUsd ?? null,
    }
  }

  stop(answerId: string): void {
    this.#stops.get(answerId)?.()
  }

  isRunning(answerId: string): boolean {
    return this.#stops.has(answerId)
  }

  /** Picks up every answer that a reload or another tab's end left behind. */
  async resumeAll(): Promise<void> {
    await Promise.all(this.#ports.pending.list().map(exchange => this.#resume(exchange.messageId)))
  }

  /** Closes an answer that says it is on its way, though nothing is left to fetch it with. */
  async closeOrphan(conversationId: string, answerId: string): Promise<void> {
    if (this.isRunning(answerId) || this.#ports.pending.find(answerId)) return
    // Another tab may be the one that fetches it.
    await this.#ports.withLock(lockName(answerId), async () => {
      if (this.#findStreaming(conversationId, answerId) && !this.#ports.pending.find(answerId)) {
        this.#changeMessage(conversationId, answerId, message => ({
          ...message,
          status: 'failed',
          error_code: REST_LOST,
        }))
      }
    })
  }

  async #resume(answerId: string): Promise<void> {
    if (this.isRunning(answerId)) return
    await this.#ports.withLock(lockName(answerId), async () => {
      const exchange = this.#ports.pending.find(answerId)
      if (!exchange || this.isRunning(answerId)) return
      const streaming = this.#findStreaming(exchange.conversationId, answerId)
      if (streaming && this.#canRepeat(exchange)) await this.#run(exchange)
      else this.#ports.pending.remove(answerId)
    })
  }

  /**
   * A request that was never answered is repeated only while the server still knows its key; so is one for
   * a picture, which comes whole or not at all.
   */
  #canRepeat({ kind, exchangeId, startedAtMs }: PendingExchange): boolean {
    const canResume = kind === 'chat' && exchangeId !== null
    return canResume || this.#ports.nowMs() - startedAtMs < REPEAT_WITHIN_MS
  }

  async #run(exchange: PendingExchange): Promise<ExchangeResult | null> {
    const { conversations, pending, live, world, onBalance } = this.#ports
    const { conversationId, messageId } = exchange
    const creditId = this.#ports.readCreditId()
    const conversation = conversations.get(conversationId)
    if (!conversation || !creditId) {
      live.end(messageId)
      return null
    }
    live.begin(messageId)
    const runner = this.#runners[exchange.kind]
    const body = await runner.buildBody(conversation, messageId)
    let { exchangeId } = exchange
    const running = runner.run(
      { keys: keysOf(exchange, creditId), body, exchangeId: exchange.exchangeId },
      {
        onExchangeId: id => {
          pending.put({ ...exchange, exchangeId: id })
          exchangeId = id
        },
        onAnswer: answer => {
          live.setAnswer(messageId, answer)
          // Into the conversation's own copy: writing the whole list would hold up the page meanwhile.
          conversations.scheduleSave(conversationId, () =>
            this.#draft(conversationId, messageId, { answer, exchangeId }),
          )
        },
        onPhase: phase => live.setPhase(messageId, phase),
      },
      world,
    )
    this.#stops.set(messageId, running.stop)
    const result = await running.ended
    await this.#finish(exchange, result, exchangeId)
    this.#stops.delete(messageId)
    pending.remove(messageId)
    live.end(messageId)
    if (result.answer.balanceUsd !== null) onBalance(Number(result.answer.balanceUsd))
    return result
  }

  async #finish(
    { conversationId, messageId }: PendingExchange,
    result: ExchangeResult,
    exchangeId: string | null,
  ): Promise<void> {
    const { status, answer, error } = result
    const refused = error !== null && error.code !== CONNECTION_LOST && error.code !== REST_LOST
    const pictures = await this.#keepPictures(answer)
    this.#changeMessage(conversationId, messageId, message => {
      const finished = finishMessage(named(message, exchangeId), { status, answer, error, refused })
      if (pictures.length === 0) return keepLonger(finished, message)
      const text: ContentPart[] = answer.text === '' ? [] : [{ type: 'text', text: answer.text }]
      return { ...finished, content: [...text, ...pictures] }
    })
  }

  async #keepPictures(answer: Answer): Promise<ContentPart[]> {
    const createdAt = new Date(this.#ports.nowMs()).toISOString()
    return Promise.all(
      answer.imageUrls.map(async url => ({
        type: 'image_url' as const,
        image_url: { url: await this.#ports.keepPicture(url, createdAt), created_at: createdAt },
      })),
    )
  }

  /** The conversation with so much of the answer; null when the answer is over, or was deleted. */
  #draft(
    conversationId: string,
    answerId: string,
    { answer, exchangeId }: { answer: Answer; exchangeId: string | null },
  ): Conversation | null {
    const current = this.#ports.conversations.get(conversationId)
    const message = this.#findStreaming(conversationId, answerId)
    if (!current || !message) return null
    return replaceMessage(current, keepLonger(drawAnswer(named(message, exchangeId), answer), message))
  }

  #findStreaming(conversationId: string, answerId: string): Message | null {
    const conversation = this.#ports.conversations.get(conversationId)
    const message = conversation?.messages.find(({ id }) => id === answerId)
    return message?.status === 'streaming' ? message : null
  }

  #changeMessage(conversationId: string, messageId: string, edit: (message: Message) => Message): void {
    this.#change(conversationId, conversation => {
      const message = conversation.messages.find(({ id }) => id === messageId)
      return message ? replaceMessage(conversation, edit(message)) : conversation
    })
  }

  /** Nothing to change when the conversation was deleted meanwhile: that was meant. */
  #change(conversationId: string, edit: (conversation: Conversation) => Conversation): void {
    const current = this.#ports.conversations.get(conversationId)
    if (current) this.#ports.conversations.saveConversation(edit(current))
  }
}

function named(message: Message, exchangeId: string | null): Message {
  return exchangeId === null ? message : { ...message, exchange_id: exchangeId }
}

/** While an answer is fetched anew after a reload, what was already read stays. */
function keepLonger(next: Message, known: Message): Message {
  const shorter = next.status !== 'completed' && next.content.length < known.content.length
  return shorter && typeof known.content === 'string' ? { ...next, content: known.content } : next
}

function lockName(answerId: string): string {
  return `chat-exchange:${answerId}`
}

/** The message while its answer arrives. */
function drawAnswer(message: Message, answer: Answer): Message {
  return { ...message, content: answer.text, reasoning: answer.reasoning || undefined }
}

interface AnswerEnd {
  readonly status: 'completed' | 'stopped' | 'failed'
  readonly answer: Answer
  readonly error: AnswerError | null
  /** The server itself refused or failed the exchange, so nothing undelivered was charged. */
  readonly refused: boolean
}

/** The message once its answer has ended. An error without output costs nothing. */
function finishMessage(message: Message, end: AnswerEnd): Message {
  const { answer, error } = end
  const empty = answer.text === '' && answer.imageUrls.length === 0
  return {
    ...drawAnswer(message, answer),
    status: end.status,
    receipt: answer.receipt ?? (end.refused && empty ? FREE : undefined),
    error_code: error?.code,
    finish_reason: answer.finishReason ?? undefined,
  }
}

const FREE: Receipt = { cost_usd: '0', input_token_count: 0, output_token_count: 0, estimated: false }
