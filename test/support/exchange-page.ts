import { createHash } from 'node:crypto'
import { BrowserExchanges } from '@/lib/exchange/client/browser-exchanges'
import type { ExchangeKindName } from '@/lib/exchange/client/exchange-kinds'
import { createLiveAnswers, type LiveAnswer } from '@/lib/exchange/client/live-answers'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { creditIdStore } from '@/lib/local/credit-id'
import type { Conversation, Message } from '@/lib/local/domain/conversation'
import { type GuardedStorage, guardedStorage } from '@/lib/local/storage/guarded-storage'
import { PENDING_EXCHANGES_KEY } from '@/lib/local/storage/storage-keys'
import { createUuid } from '@/lib/local/uuid'
import { TestExchangeServer } from '../stand-ins/exchange-server'
import { TestWorld, turns } from './exchange-world'

interface Waiting {
  readonly owner: object
  readonly start: () => Promise<void>
}

/** The browser's locks, which a page releases when it is left. */
class TestLocks {
  /** Whoever is requesting locks at the moment. */
  owner: object = {}
  readonly #queues = new Map<string, Waiting[]>()
  /** Requests of slow pages that have not reached the browser yet. */
  readonly #underWay = new Map<object, (() => void)[]>()

  request<Result>(name: string, task: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const start = async () => {
        try {
          resolve(await task())
        } catch (error) {
          reject(error)
        }
        this.#leave(name, waiting)
      }
      const waiting: Waiting = { owner: this.owner, start }
      const arrive = () => {
        const queue = this.#queues.get(name) ?? []
        this.#queues.set(name, queue)
        queue.push(waiting)
        if (queue.length === 1) void start()
      }
      const underWay = this.#underWay.get(waiting.owner)
      if (underWay) underWay.push(arrive)
      else arrive()
    })
  }

  async query(): Promise<{ held: { name: string }[] }> {
    return { held: [...this.#queues].flatMap(([name, queue]) => (queue.length > 0 ? [{ name }] : [])) }
  }

  slow(owner: object): void {
    this.#underWay.set(owner, [])
  }

  quicken(owner: object): void {
    const underWay = this.#underWay.get(owner) ?? []
    this.#underWay.delete(owner)
    for (const arrive of underWay) arrive()
  }

  release(owner: object): void {
    for (const [name, queue] of this.#queues) {
      for (const waiting of queue.filter(one => one.owner === owner).reverse()) this.#leave(name, waiting)
    }
  }

  #leave(name: string, waiting: Waiting): void {
    const queue = this.#queues.get(name) ?? []
    const index = queue.indexOf(waiting)
    if (index < 0) return
    queue.splice(index, 1)
    if (index === 0) void queue[0]?.start()
  }
}

const locks = new TestLocks()
Object.defineProperty(globalThis.navigator, 'locks', { value: locks, configurable: true })

// Immediately, rather than later on another thread, from which a page that was left would not return.
Object.defineProperty(crypto.subtle, 'digest', {
  value: async (_: string, bytes: Uint8Array) => createHash('sha256').update(bytes).digest(),
  configurable: true,
})

/** An empty browser with a credit and one tab, and the server that it talks to. */
export function openBrowser() {
  guardedStorage.clear()
  creditIdStore.write('credit')
  const world = new TestWorld()
  const server = new TestExchangeServer(world)
  return { world, server, page: new TestPage(world, server) }
}

/** One tab of the browser; all tabs share the storage and the clock. */
export class TestPage {
  readonly balances: number[] = []
  readonly payingCredits: string[] = []
  readonly live = createLiveAnswers(task => task())
  readonly #exchanges: BrowserExchanges
  readonly #listeners: Parameters<GuardedStorage['subscribe']>[0][] = []
  #isLeft = false

  constructor(world: TestWorld, server: TestExchangeServer) {
    const { subscribe } = guardedStorage
    guardedStorage.subscribe = listener => {
      this.#listeners.push(listener)
      return () => undefined
    }
    const never = () => new Promise<never>(() => {})
    const { fetch, wait, ...rest } = world.of(server.fetch)
    this.#exchanges = new BrowserExchanges({
      world: {
        ...rest,
        fetch: (path, init) => (this.#isLeft ? never() : fetch(path, init)),
        wait: (milliseconds, signal) => (this.#isLeft ? never() : wait(milliseconds, signal)),
      },
      live: this.live,
      onBalance: (creditId, balanceUsd) => {
        this.balances.push(balanceUsd)
        this.payingCredits.push(creditId)
      },
    })
    guardedStorage.subscribe = subscribe
  }

  /** The browser notifies it that another page has written. */
  receiveNotes(): void {
    const text = guardedStorage.read(PENDING_EXCHANGES_KEY)
    for (const listener of this.#listeners) listener(PENDING_EXCHANGES_KEY, text)
  }

  /** Its own exchanges, with its own locks. */
  get exchanges(): BrowserExchanges {
    locks.owner = this
    return this.#exchanges
  }

  /** Its requests for locks only arrive when `quicken` is called. */
  slow(): void {
    locks.slow(this)
  }

  quicken(): void {
    locks.quicken(this)
  }

  /** Nothing that it still waits for ever arrives. It finishes what it is in the middle of. */
  async leave(server: TestExchangeServer): Promise<void> {
    this.#isLeft = true
    server.cut()
    await turns(3)
    conversationStore.flushScheduledSaves()
    locks.release(this)
  }
}

/** Saves a conversation of its own, with a question and an answer to be requested. */
export function saveQuestion(answer: Partial<Message> = {}, before: Message[] = []): Conversation {
  const conversation: Conversation = {
    id: createUuid(),
    created_at: '2026-11-20T00:00:00.000Z',
    messages: [
      ...before,
      { role: 'user', id: createUuid(), content: 'Why?' },
      { role: 'assistant', id: createUuid(), content: '', model: 'm', status: 'streaming', ...answer },
    ],
  }
  conversationStore.saveConversation(conversation)
  return conversation
}

/** Sends its last question. */
export function askOn(page: TestPage, conversation: Conversation, kind: ExchangeKindName = 'chat') {
  const [question, answer] = conversation.messages.slice(-2)
  return page.exchanges.ask(conversation, question?.id ?? '', answer?.id ?? '', kind)
}

export function answerIdOf({ messages }: Conversation): string {
  return messages.at(-1)?.id ?? ''
}

/** The live state of its last message, as the page shows it. */
export function shownOn(page: TestPage, conversation: Conversation): LiveAnswer | null {
  return page.live.get(answerIdOf(conversation))
}

/** What the browser records to resume answers. */
export function notedExchanges(): { messageId: string; idempotencyKey: string }[] {
  return JSON.parse(guardedStorage.read(PENDING_EXCHANGES_KEY) ?? '[]')
}

/** The last message, as it is stored. */
export function storedAnswer({ id }: Conversation): Message | undefined {
  return conversationStore.get(id)?.messages.at(-1)
}
