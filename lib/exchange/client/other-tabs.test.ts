import 'fake-indexeddb/auto'
import { beforeEach, describe, expect, jest, test } from '@jest/globals'
import { archive, historyStore } from '@/lib/local/archive/history-store'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { conversations } from '@/lib/local/conversations/conversations'
import { guardedStorage } from '@/lib/local/storage/guarded-storage'
import { CONVERSATION_HISTORY_KEY, PENDING_EXCHANGES_KEY } from '@/lib/local/storage/storage-keys'
import { writeFailureCountStore } from '@/lib/local/storage/write-failures'
import { createUuid } from '@/lib/local/uuid'
import {
  answerIdOf,
  askOn,
  notedExchanges,
  openBrowser,
  saveQuestion,
  shownOn,
  storedAnswer,
  TestPage,
} from '@/test/support/exchange-page'
import { turns, until } from '@/test/support/exchange-world'

let { world, server, page } = openBrowser()

beforeEach(() => {
  jest.restoreAllMocks()
  ;({ world, server, page } = openBrowser())
})

/** A question whose answer has begun. */
async function begin() {
  const conversation = saveQuestion()
  const asked = askOn(page, conversation)
  await until(() => server.exchanges.length > 0)
  server.write('Be')
  await until(() => shownOn(page, conversation)?.answer.text === 'Be')
  return { conversation, asked }
}

async function end(asked: Promise<unknown>) {
  server.write('cause.')
  server.finish()
  await asked
}

describe('a stop in a tab that does not follow the answer', () => {
  test('ends the answer in the tab that does', async () => {
    const { conversation, asked } = await begin()
    new TestPage(world, server).exchanges.stop(answerIdOf(conversation))
    page.receiveNotes()
    expect(storedAnswer(conversation)).toMatchObject({ status: 'stopped', content: 'Be' })
    await asked
    world.pass(1_000)
    await until(() => notedExchanges().length === 0)
    expect(server.requests.filter(({ method }) => method === 'DELETE')).toHaveLength(1)
    expect(storedAnswer(conversation)).toMatchObject({ status: 'stopped', receipt: { cost_usd: '0.001' } })
  })

  test('reaches the server even if that tab sleeps, and is noted for the tab that continues', async () => {
    const { conversation } = await begin()
    const other = new TestPage(world, server)
    other.exchanges.stop(answerIdOf(conversation))
    other.exchanges.stop(answerIdOf(conversation))
    expect(notedExchanges()).toMatchObject([{ isStopped: true }])
    world.pass(1_000)
    await until(() => server.exchanges[0]?.isStopped === true)
    const stops = server.requests.filter(({ method }) => method === 'DELETE')
    expect(stops.map(({ path }) => path)).toEqual(['/v1/chat/completions/exchange-1'])
    const resumed = other.exchanges.resumeAll()
    await page.leave(server)
    await resumed
    expect(storedAnswer(conversation)).toMatchObject({ status: 'stopped', receipt: { cost_usd: '0.001' } })
  })
})

test('an answer is stopped when its conversation is deleted in another tab', async () => {
  const { conversation } = await begin()
  new TestPage(world, server).exchanges.stop(answerIdOf(conversation))
  conversationStore.deleteConversation(conversation.id)
  world.pass(1_000)
  await until(() => server.exchanges[0]?.isStopped === true)
  expect(conversationStore.get(conversation.id)).toBeNull()
})

test('a note that another tab has overwritten is restored', async () => {
  const { asked } = await begin()
  const [before] = notedExchanges()
  guardedStorage.write(PENDING_EXCHANGES_KEY, '[]')
  page.receiveNotes()
  expect(notedExchanges()).toEqual([before])
  await end(asked)
  page.receiveNotes()
  expect(notedExchanges()).toEqual([])
})

describe('two tabs at the same moment', () => {
  const MINUTE_MS = 60_000

  test('an answer is not called lost in a tab that sees its question before it is sent', async () => {
    const conversation = saveQuestion()
    const other = new TestPage(world, server)
    void other.exchanges.lookAfter(conversation.id, answerIdOf(conversation))
    await turns(10)
    void askOn(page, conversation)
    await until(() => server.exchanges.length > 0)
    world.pass(MINUTE_MS)
    await turns(10)
    expect(storedAnswer(conversation)).toMatchObject({ status: 'streaming' })
    await page.leave(server)
    world.pass(MINUTE_MS)
    const resumed = other.exchanges.resumeAll()
    await until(() => server.requests.length > 1)
    await end(resumed)
    expect(storedAnswer(conversation)).toMatchObject({ status: 'completed', content: 'cause.' })
  })

  test('a shown answer is fetched here if its own tab was closed, but not if that was reloaded', async () => {
    const { conversation } = await begin()
    const other = new TestPage(world, server)
    void other.exchanges.lookAfter(conversation.id, answerIdOf(conversation))
    await page.leave(server)
    page = new TestPage(world, server)
    void page.exchanges.resumeAll()
    world.pass(MINUTE_MS)
    await turns(10)
    expect(other.exchanges.isRunning(answerIdOf(conversation))).toBe(false)
    await page.leave(server)
    await turns(10)
    world.pass(MINUTE_MS)
    await until(() => other.exchanges.isRunning(answerIdOf(conversation)))
    await end(until(() => notedExchanges().length === 0))
    expect(storedAnswer(conversation)).toMatchObject({ status: 'completed', content: 'Because.' })
  })

  test('an answer is not called lost while its end is on the way to this tab', async () => {
    const conversation = saveQuestion()
    const [question, answer] = conversation.messages
    const letGo = Promise.withResolvers<void>()
    void navigator.locks.request(`chat-exchange:${answerIdOf(conversation)}`, () => letGo.promise)
    const closed = page.exchanges.lookAfter(conversation.id, answerIdOf(conversation))
    letGo.resolve()
    await turns(10)
    const updated_at = new Date(Date.now() + 1_000).toISOString()
    const ended = { ...answer, content: 'Because.', status: 'completed' }
    const told = [{ ...conversation, messages: [question, ended], updated_at }]
    guardedStorage.write(CONVERSATION_HISTORY_KEY, JSON.stringify(told))
    world.pass(MINUTE_MS)
    await closed
    expect(storedAnswer(conversation)).toMatchObject({ status: 'completed', content: 'Because.' })
  })

  test('a question that another tab has asked and completed is not asked again', async () => {
    page.slow()
    const conversation = saveQuestion()
    const asked = askOn(page, conversation)
    const other = new TestPage(world, server)
    const resumed = other.exchanges.resumeAll()
    await until(() => server.exchanges.length > 0)
    await end(resumed)
    // The server has forgotten it by now.
    world.pass(11 * MINUTE_MS)
    page.quicken()
    await expect(asked).resolves.toBeNull()
    expect(server.exchanges).toHaveLength(1)
    expect(storedAnswer(conversation)).toMatchObject({ status: 'completed', content: 'cause.' })
    expect(shownOn(page, conversation)).toBeNull()
  })

  test('a question that a closed tab has asked is not sent with another text', async () => {
    page.slow()
    const conversation = saveQuestion()
    const asked = askOn(page, conversation)
    const other = new TestPage(world, server)
    void other.exchanges.resumeAll()
    await until(() => server.exchanges.length > 0)
    await other.leave(server)
    page.quicken()
    await until(() => server.requests.length > 1)
    await end(asked)
    expect(server.requests.map(({ method }) => method)).toEqual(['POST', 'GET'])
    expect(storedAnswer(conversation)).toMatchObject({ status: 'completed', content: 'cause.' })
  })

  test('a question of a closed tab is sent by this one, even if it had not heard of it', async () => {
    const known = saveQuestion({ status: 'completed' })
    const [question, answer] = saveQuestion().messages
    const messages = [...known.messages, question, answer]
    const updated_at = new Date(Date.now() + 1_000).toISOString()
    guardedStorage.write(CONVERSATION_HISTORY_KEY, JSON.stringify([{ ...known, messages, updated_at }]))
    const note = { conversationId: known.id, messageId: answer?.id, startedAtMs: world.nowMs }
    const keys = { idempotencyKey: 'i', resumeKey: 'r' }
    guardedStorage.write(PENDING_EXCHANGES_KEY, JSON.stringify([{ ...note, ...keys }]))
    const resumed = page.exchanges.resumeAll()
    await turns(20)
    expect(server.exchanges).toHaveLength(1)
    await end(resumed)
    expect(storedAnswer(known)).toMatchObject({ id: answer?.id, status: 'completed', content: 'cause.' })
  })
})

describe('a finished answer whose conversation is gone', () => {
  test('finds its conversation in the archive', async () => {
    const { conversation, asked } = await begin()
    const current = conversationStore.get(conversation.id)
    if (current) await archive.put([current])
    conversations.remove([conversation.id])
    await historyStore.load()
    await end(asked)
    expect(storedAnswer(conversation)).toMatchObject({ status: 'completed', content: 'Because.' })
    expect(conversationStore.get(conversation.id)?.messages).toHaveLength(2)
  })

  test('creates a conversation if a reload found none', async () => {
    const { conversation } = await begin()
    await page.leave(server)
    const [note] = notedExchanges()
    const lost = { ...conversation, id: createUuid() }
    guardedStorage.write(PENDING_EXCHANGES_KEY, JSON.stringify([{ ...note, conversationId: lost.id }]))
    page = new TestPage(world, server)
    const resumed = page.exchanges.resumeAll()
    await until(() => server.requests.length === 2)
    await end(resumed)
    expect(storedAnswer(lost)).toMatchObject({ status: 'completed', content: 'Because.' })
  })

  test.each<[string, (id: string) => void]>([
    ['deleted it', id => conversationStore.deleteConversation(id)],
    ['deleted everything in another tab', () => conversations.onOtherTab(null, null)],
  ])('restores nothing for somebody who %s', async (_, remove) => {
    const { conversation, asked } = await begin()
    remove(conversation.id)
    await end(asked)
    expect(conversationStore.get(conversation.id)).toBeNull()
  })
})

describe('a browser whose storage refuses writes', () => {
  const { write } = guardedStorage
  const refuse = (isRefused: (key: string) => boolean) => {
    const report = jest.fn()
    Reflect.set(globalThis, 'reportError', report)
    jest.spyOn(guardedStorage, 'write').mockImplementation((key, text) => {
      if (isRefused(key)) throw new DOMException('The file is corrupted.', 'UnknownError')
      return write(key, text)
    })
    return { report, toldBefore: writeFailureCountStore.getSnapshot() }
  }

  test('of notes still shows the answer, and reports it', async () => {
    const { report, toldBefore } = refuse(key => key === PENDING_EXCHANGES_KEY)
    const { conversation, asked } = await begin()
    await end(asked)
    expect(storedAnswer(conversation)).toMatchObject({ status: 'completed', content: 'Because.' })
    expect(report).toHaveBeenCalledWith(expect.objectContaining({ name: 'UnknownError' }))
    expect(writeFailureCountStore.getSnapshot()).toBeGreaterThan(toldBefore)
  })

  test('of everything shows the answer on its page, and reports it once', async () => {
    const { report, toldBefore } = refuse(() => true)
    const { conversation, asked } = await begin()
    conversationStore.flushScheduledSaves()
    await end(asked)
    expect(storedAnswer(conversation)).toMatchObject({ status: 'completed', content: 'Because.' })
    expect(conversationStore.renameConversation(conversation.id, 'Kept')).toBe(false)
    expect(conversationStore.get(conversation.id)?.title).toBe('Kept')
    expect(report).toHaveBeenCalledTimes(1)
    expect(writeFailureCountStore.getSnapshot()).toBe(toldBefore + 1)
  })
})
