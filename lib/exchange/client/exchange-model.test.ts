import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { creditIdStore } from '@/lib/local/credit-id'
import { type Message, messageText, picturesOf } from '@/lib/local/domain/conversation'
import { guardedStorage } from '@/lib/local/storage/guarded-storage'
import { createUuid } from '@/lib/local/uuid'
import { type ServedExchange, TestExchangeServer } from '@/test/stand-ins/exchange-server'
import { notedExchanges, TestPage } from '@/test/support/exchange-page'
import { TestWorld, turns } from '@/test/support/exchange-world'
import type { ExchangeKindName } from './exchange-kinds'

const LOST_CODES = ['connection_lost', 'rest_lost']

/** One browser, one server, one conversation, and everything that can happen between them. */
class Story {
  readonly world = new TestWorld()
  readonly server = new TestExchangeServer(this.world)
  readonly conversationId = createUuid()
  readonly asked: { messageId: string; kind: ExchangeKindName; key: string }[] = []
  page = new TestPage(this.world, this.server)
  otherPage = new TestPage(this.world, this.server)

  constructor() {
    // One that is named by its address needs no database of pictures.
    this.server.picture = { url: 'https://pictures.example/1.png' }
    guardedStorage.clear()
    creditIdStore.write('credit')
    conversationStore.saveConversation({
      id: this.conversationId,
      created_at: '2026-11-20T00:00:00.000Z',
      messages: [],
    })
  }

  readonly events = {
    askForWords: () => this.#ask('chat'),
    askForPicture: () => this.#ask('image'),
    stop: () => {
      const messageId = this.streaming()?.id ?? ''
      const isRunning = this.page.exchanges.isRunning(messageId)
      this.page.exchanges.stop(messageId)
      // The composer is free at once, whatever the server has to say.
      if (isRunning) expect(this.streaming()).toBeUndefined()
    },
    stopElsewhere: () => this.otherPage.exchanges.stop(this.streaming()?.id ?? ''),
    tabsHear: () => {
      this.page.receiveNotes()
      this.otherPage.receiveNotes()
    },
    write: () => this.server.write(`${this.server.exchanges.length} `),
    finish: () => this.server.finish(),
    fail: () => this.server.fail(),
    settle: () => this.server.settle(),
    cut: () => this.server.cut(),
    goOffline: () => {
      this.server.isOffline = true
      this.server.cut()
    },
    comeOnline: () => {
      this.server.isOffline = false
      this.world.wake()
    },
    loseNextRequest: () => {
      this.server.requestLossCount += 1
    },
    loseNextReply: () => {
      this.server.replyLossCount += 1
    },
    answerElsewhere: () => {
      this.server.isElsewhere = !this.server.isElsewhere
    },
    beginWhatCannotBeHadBack: () => {
      this.server.isBegun = !this.server.isBegun
    },
    refuse: () => {
      const error = { code: 'insufficient_credit', required_usd: 1, available_usd: 0 }
      this.server.refusal = this.server.refusal ? null : { status: 402, error }
    },
    settleLater: () => {
      this.server.settlesLater = !this.server.settlesLater
    },
    wake: () => this.world.wake(),
    passSecond: () => this.world.pass(1_000),
    passMinute: () => this.world.pass(60_000),
    passLongerThanKept: () => this.world.pass(11 * 60_000),
    reload: async () => {
      await this.page.leave(this.server)
      this.page = new TestPage(this.world, this.server)
      void this.page.exchanges.resumeAll()
    },
    slowDown: () => this.page.slow(),
    quicken: () => this.page.quicken(),
    otherTabLooks: () => {
      void this.otherPage.exchanges.resumeAll()
    },
    otherTabLeaves: async () => {
      await this.otherPage.leave(this.server)
      this.otherPage = new TestPage(this.world, this.server)
    },
  }

  #ask(kind: ExchangeKindName): void {
    const conversation = conversationStore.get(this.conversationId)
    if (!conversation || this.streaming()) return
    const question: Message = { role: 'user', id: createUuid(), content: 'Why?' }
    const answer: Message = {
      role: 'assistant',
      id: createUuid(),
      content: '',
      model: 'm',
      status: 'streaming',
    }
    const next = { ...conversation, messages: [...conversation.messages, question, answer] }
    conversationStore.saveConversation(next)
    // The other tab sees it before it is asked.
    void this.otherPage.exchanges.lookAfter(this.conversationId, answer.id ?? '')
    void this.page.exchanges.ask(next, question.id ?? '', answer.id ?? '', kind)
    const messageId = answer.id ?? ''
    const key = notedExchanges().find(one => one.messageId === messageId)?.idempotencyKey ?? ''
    this.asked.push({ messageId, kind, key })
  }

  messages(): Message[] {
    return conversationStore.get(this.conversationId)?.messages ?? []
  }

  streaming(): Message | undefined {
    return this.messages().find(({ status }) => status === 'streaming')
  }

  /** Everything works again, and all the time in the world passes. */
  async end(): Promise<void> {
    Object.assign(this.server, { isElsewhere: false, requestLossCount: 0, replyLossCount: 0, refusal: null })
    this.events.comeOnline()
    await this.events.reload()
    for (let count = 0; count < 400 && (this.streaming() || notedExchanges().length > 0); count += 1) {
      this.server.finish()
      this.server.settle()
      this.world.pass(15_000)
      await turns(15)
      const messageId = this.streaming()?.id
      if (messageId) void this.page.exchanges.lookAfter(this.conversationId, messageId)
    }
  }

  /** What must hold at every moment. */
  checkMoment(): void {
    for (const bodies of this.server.postedBodies.values()) expect(bodies.size).toBe(1)
    const keys = this.server.exchanges.map(({ key }) => key)
    expect(new Set(keys).size).toBe(keys.length)
    // What is still noted is still fetched.
    const notedIds = notedExchanges().map(({ messageId }) => messageId)
    const failed = this.messages().filter(({ status }) => status === 'failed')
    expect(failed.filter(({ id = '' }) => notedIds.includes(id))).toEqual([])
  }

  /** What must hold in the end. */
  checkAnswers(): void {
    expect(notedExchanges()).toEqual([])
    for (const { messageId, kind, key } of this.asked) {
      const message = this.messages().find(({ id }) => id === messageId)
      const served = this.server.exchanges.find(one => one.key === key)
      // Refused for want of credit, a question goes back to the composer.
      if (message) checkAnswer(message, kind, served)
      else expect(served).toBeUndefined()
    }
    conversationStore.deleteConversation(this.conversationId)
  }
}

function checkAnswer(message: Message, kind: ExchangeKindName, served?: ServedExchange): void {
  const { status, error_code: code = '', receipt } = message
  expect(['completed', 'stopped', 'failed']).toContain(status)
  const shown = messageText(message)
  const price = receipt === undefined ? null : Number(receipt.cost_usd)
  // What is said about the price is true; and only what is reported lost may go without one.
  if (price === null) expect(LOST_CODES).toContain(code)
  else expect(price).toBe(served?.charged ?? 0)
  const said = served ? textOfReply(served) : ''
  expect(said.startsWith(shown)).toBe(true)
  const told = served?.isFailed ? ['upstream_error'] : served ? [] : ['insufficient_credit']
  if (status === 'failed') expect([...LOST_CODES, ...told]).toContain(code)
  if (status === 'stopped') expect(served?.isStopped ?? true).toBe(true)
  if (status === 'completed') {
    expect(served?.isFailed).toBe(false)
    expect(shown).toBe(said)
    expect(picturesOf(message)).toHaveLength(kind === 'image' ? 1 : 0)
  }
}

function textOfReply({ said, isStream }: ServedExchange): string {
  if (!isStream) return ''
  const events = said.filter(data => data !== '[DONE]').map(data => JSON.parse(data))
  return events.map(({ choices }) => choices?.[0]?.delta.content ?? '').join('')
}

/** An answer that was stopped too late grows while the question behind it has not reached the server. */
const ANOTHER_TEXT = [
  'wake',
  'write',
  'beginWhatCannotBeHadBack',
  'stop',
  'loseNextRequest',
  'askForWords',
  'write',
  'finish',
  'reload',
].map(event => ({ event, turnCount: 8 }))

/** What another tab has stopped is taken over by one where it is stopped once more. */
const STOPPED_TWICE = ['stopElsewhere', 'reload', 'stop'].map(event => ({ event, turnCount: 0 }))

test('in any order of events, an answer is shown with its price or reported lost, and requested once', async () => {
  const often = [
    'askForWords',
    'askForPicture',
    'askForPicture',
    'stop',
    'stop',
    'stopElsewhere',
    'tabsHear',
    'write',
    'finish',
    'reload',
    'loseNextRequest',
    'loseNextReply',
    'passLongerThanKept',
  ]
  const names = [...Object.keys(new Story().events), ...often]
  const step = fc.record({ event: fc.constantFrom(...names), turnCount: fc.integer({ min: 0, max: 8 }) })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async steps => {
      const story = new Story()
      const events: Record<string, () => unknown> = story.events
      story.events.askForWords()
      for (const { event, turnCount } of steps) {
        await events[event]?.()
        await turns(turnCount)
        story.checkMoment()
      }
      await story.end()
      story.checkMoment()
      story.checkAnswers()
    }),
    { examples: [[ANOTHER_TEXT], [STOPPED_TWICE]], numRuns: 300 },
  )
})
