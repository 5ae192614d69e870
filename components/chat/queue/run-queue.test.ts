import 'fake-indexeddb/auto'
import { beforeEach, describe, expect, jest, test } from '@jest/globals'
import fc from 'fast-check'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { creditIdStore } from '@/lib/local/credit-id'
import { writeSpendingLimits } from '@/lib/local/spending-limits'
import { guardedStorage } from '@/lib/local/storage/guarded-storage'
import { answerIdOf, askOn, openBrowser, saveQuestion, TestPage } from '@/test/support/exchange-page'
import { turns, until } from '@/test/support/exchange-world'
import { draftStore, EMPTY_DRAFT } from '../draft-store'
import { chatModel } from '../testing'
import { changeMessage, dropMessage, moveMessage } from './message-queue'
import { createMessageQueueStore, messageQueueStore } from './queue-store'

let { world, server, page } = openBrowser()
jest.unstable_mockModule('../page-exchanges', () => ({
  pageExchanges: {
    ask: (...input: Parameters<TestPage['exchanges']['ask']>) => page.exchanges.ask(...input),
  },
}))
const { continueQueue, goOn, priceQueue, queueMessage } = await import('./run-queue')

const MODEL = chatModel({})
const TOO_LITTLE = {
  status: 402,
  error: { message: 'Too little.', code: 'insufficient_credit', required_usd: 2, available_usd: 0.5 },
}

const listen = () =>
  page.exchanges.onEnd(({ conversationId, messageId }) => void continueQueue(conversationId, messageId))

let conversation = saveQuestion()

/** A conversation whose first answer is in progress. */
async function begin() {
  ;({ world, server, page } = openBrowser())
  creditIdStore.write('credit')
  listen()
  conversation = saveQuestion()
  void askOn(page, conversation)
  await until(() => server.exchanges.length === 1)
}
beforeEach(begin)

async function reload() {
  await page.leave(server)
  page = new TestPage(world, server)
  listen()
  void page.exchanges.resumeAll()
  await turns(5)
}

function write(text: string, model = MODEL, estimate = 0n) {
  const draft = { ...EMPTY_DRAFT, text }
  draftStore.set(conversation.id, draft)
  return queueMessage(conversation.id, { draft, model, estimate })
}

const queue = () => messageQueueStore.get(conversation.id)
const waiting = () => queue()?.messages.map(({ draft }) => draft.text) ?? []
const said = () =>
  (conversationStore.get(conversation.id)?.messages ?? []).flatMap(({ role, content }) =>
    role === 'user' ? [content] : [],
  )
/** The questions that the server received, including repetitions. */
const receivedQuestions = () =>
  server.exchanges.map(({ body }): string => JSON.parse(body).messages.at(-1).content)

test('queued messages are sent one after the other, each when the answer before has ended', async () => {
  write('one')
  write('two')
  expect(draftStore.get(conversation.id)).toBe(EMPTY_DRAFT)
  expect(receivedQuestions()).toEqual(['Why?'])
  server.finish()
  await until(() => server.exchanges.length === 2)
  expect(waiting()).toEqual(['two'])
  server.finish()
  await until(() => server.exchanges.length === 3)
  expect(said()).toEqual(['Why?', 'one', 'two'])
  expect(queue()).toBeNull()
})

test('pressing Send twice queues the message once', () => {
  const draft = { ...EMPTY_DRAFT, text: 'one' }
  draftStore.set(conversation.id, draft)
  queueMessage(conversation.id, { draft, model: MODEL, estimate: null })
  queueMessage(conversation.id, { draft, model: MODEL, estimate: null })
  expect(waiting()).toEqual(['one'])
})

test('a full queue takes no further message, which stays in the message box', () => {
  const texts = Array.from({ length: 20 }, (_, index) => `message ${index}`)
  for (const text of texts) expect(write(text)).toBe(true)
  expect(write('one more')).toBe(false)
  expect(waiting()).toEqual(texts)
  expect(draftStore.get(conversation.id).text).toBe('one more')
})

test.each<[string, string, () => void]>([
  ['the person stops it', 'stopped', () => page.exchanges.stop(answerIdOf(conversation))],
  ['it fails', 'failed', () => server.fail()],
])('the queue stops when %s, until the person continues it', async (_, heldBy, end) => {
  write('one')
  end()
  world.pass(20_000)
  await until(() => queue()?.heldBy === heldBy)
  await continueQueue(conversation.id)
  expect(receivedQuestions()).toEqual(['Why?'])
  goOn(conversation.id)
  await until(() => server.exchanges.length === 2)
  expect(receivedQuestions()).toEqual(['Why?', 'one'])
})

test('a message that the balance cannot pay for returns to the front of the queue, and the draft stays', async () => {
  write('one')
  write('two')
  draftStore.set(conversation.id, { ...EMPTY_DRAFT, text: 'three' })
  server.refusal = TOO_LITTLE
  server.finish()
  await until(() => queue()?.heldBy === 'shortage' && waiting().length === 2)
  expect(waiting()).toEqual(['one', 'two'])
  expect(said()).toEqual(['Why?'])
  expect(draftStore.get(conversation.id).text).toBe('three')
  server.refusal = null
  goOn(conversation.id)
  await until(() => server.exchanges.length === 2)
  expect(said()).toEqual(['Why?', 'one'])
})

test('a message whose price has risen waits for confirmation', async () => {
  write('one', chatModel({ prices: { prompt: '0', completion: '0.01' } }), 1n)
  server.finish()
  await until(() => queue()?.heldBy === 'price')
  expect(receivedQuestions()).toEqual(['Why?'])
  goOn(conversation.id)
  await until(() => server.exchanges.length === 2)
})

test('the price of a waiting message counts its words, and those that will stand before it', () => {
  const model = chatModel({ prices: { prompt: '0.001', completion: '0' } })
  write('word '.repeat(400), model)
  write('two', model)
  const [first, second] = priceQueue(conversation.id)
  expect(first).toBeGreaterThanOrEqual(400_000_000n)
  // The answer to the first one is expected to have 300 words.
  expect(second).toBeGreaterThanOrEqual(700_000_000n)
})

test('a message beyond the limit of its chat waits for confirmation, and then goes', async () => {
  writeSpendingLimits({ messageUsd: null, conversationUsd: 0.000001 })
  write('one', chatModel({ prices: { prompt: '0', completion: '0.000001' } }))
  server.finish()
  await until(() => queue()?.heldBy === 'price')
  expect(receivedQuestions()).toEqual(['Why?'])
  goOn(conversation.id)
  await until(() => server.exchanges.length === 2)
})

test('a free message needs no confirmation, whatever the limits', async () => {
  writeSpendingLimits({ messageUsd: 0, conversationUsd: 0 })
  write('one', chatModel({ prices: { prompt: '0', completion: '0' } }))
  server.finish()
  await until(() => server.exchanges.length === 2 || queue()?.heldBy === 'price')
  expect(receivedQuestions()).toEqual(['Why?', 'one'])
})

test('a queued message is not sent while it is being edited', async () => {
  write('one')
  const id = queue()?.messages[0]?.id ?? ''
  const change = (next: object) =>
    messageQueueStore.update(conversation.id, now => changeMessage(now, id, next))
  change({ isOpen: true })
  server.finish()
  await turns(50)
  expect(receivedQuestions()).toEqual(['Why?'])
  change({ isOpen: false, draft: { ...EMPTY_DRAFT, text: 'two' } })
  void continueQueue(conversation.id)
  await until(() => server.exchanges.length === 2)
  expect(receivedQuestions()).toEqual(['Why?', 'two'])
})

test('the queue continues after a reload, and several tabs send a message only once', async () => {
  write('one')
  await reload()
  expect(waiting()).toEqual(['one'])
  server.finish()
  await Promise.all([until(() => server.exchanges.length === 2), continueQueue(conversation.id)])
  void continueQueue(conversation.id)
  void continueQueue(conversation.id)
  await turns(50)
  expect(receivedQuestions()).toEqual(['Why?', 'one'])
})

describe('in any order of events', () => {
  const EVENTS = [
    'write',
    'write',
    'finish',
    'finish',
    'fail',
    'stop',
    'goOn',
    'reload',
    'otherTab',
    'move',
    'drop',
    'refuse',
  ] as const

  test('each message is sent exactly once unless it was dropped', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...EVENTS), { maxLength: 25 }), async events => {
        await begin()
        const written: string[] = []
        const dropped: string[] = []
        for (const event of events) {
          const streaming = conversationStore
            .get(conversation.id)
            ?.messages.find(({ status }) => status === 'streaming')
          const first = queue()?.messages[0]
          if (event === 'write' && streaming && write(`m${written.length}`))
            written.push(`m${written.length}`)
          if (event === 'finish') server.finish()
          if (event === 'fail') server.fail()
          if (event === 'stop' && streaming?.id) page.exchanges.stop(streaming.id)
          if (event === 'goOn') goOn(conversation.id)
          if (event === 'reload') await reload()
          if (event === 'otherTab') void continueQueue(conversation.id)
          if (event === 'refuse') server.refusal = server.refusal ? null : TOO_LITTLE
          if (event === 'move' && first) {
            messageQueueStore.update(conversation.id, now => moveMessage(now, first.id, 1))
          }
          if (event === 'drop' && first) {
            dropped.push(first.draft.text)
            messageQueueStore.update(conversation.id, now => dropMessage(now, first.id))
          }
          await turns(12)
        }
        server.refusal = null
        for (let step = 0; step < 60 && (queue() || streamingNow()); step += 1) {
          server.finish()
          world.pass(15_000)
          await turns(12)
          if (!streamingNow()) goOn(conversation.id)
          await turns(12)
        }
        expect(
          receivedQuestions()
            .filter(text => text !== 'Why?')
            .toSorted(),
        ).toEqual(written.filter(text => !dropped.includes(text)).toSorted())
      }),
      { numRuns: 25 },
    )
  }, 60_000)

  const streamingNow = () =>
    conversationStore.get(conversation.id)?.messages.some(({ status }) => status === 'streaming') === true
})

test('a stored queue is read back completely, and a damaged one counts as empty', () => {
  write('one')
  const text = guardedStorage.read('queuedMessages') ?? ''
  const read = (stored: string) => {
    const memory = new Map([['queuedMessages', stored]])
    return createMessageQueueStore({
      read: key => memory.get(key) ?? null,
      write: () => true,
      remove: () => undefined,
      clear: () => undefined,
      refuse: () => false,
      keys: () => [...memory.keys()],
      subscribe: () => () => undefined,
    }).get(conversation.id)
  }
  expect(read(text)).toEqual(queue())
  const [stored] = JSON.parse(text)
  const [message] = stored.messages
  for (const broken of [
    'nonsense',
    '{}',
    JSON.stringify([{ ...stored, messages: 'none' }]),
    JSON.stringify([{ ...stored, messages: [{ ...message, id: 7 }] }]),
    JSON.stringify([{ ...stored, messages: [{ ...message, draft: { text: 1 } }] }]),
    JSON.stringify([{ ...stored, messages: [{ ...message, model: { id: 'm' } }] }]),
  ]) {
    expect(read(broken)).toBeNull()
  }
})
