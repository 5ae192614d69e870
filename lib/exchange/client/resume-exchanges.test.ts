import 'fake-indexeddb/auto'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { creditIdStore } from '@/lib/local/credit-id'
import { creditReplacementStore } from '@/lib/local/credit-replacement'
import type { Conversation, Message } from '@/lib/local/domain/conversation'
import { guardedStorage } from '@/lib/local/storage/guarded-storage'
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
import type { ExchangeKindName } from './exchange-kinds'

let { world, server, page } = openBrowser()

beforeEach(() => {
  ;({ world, server, page } = openBrowser())
})

const isPosted = () => server.exchanges.length > 0

describe('after a reload', () => {
  const reload = async () => {
    await page.leave(server)
    page = new TestPage(world, server)
    return page.exchanges.resumeAll()
  }

  test.each<ExchangeKindName>(['chat', 'image'])(
    'a running answer of kind %s is fetched, and not requested again',
    async kind => {
      const conversation = saveQuestion()
      void askOn(page, conversation, kind)
      await until(isPosted)
      server.write('Be')
      const reloaded = reload()
      await until(() => server.requests.length === 2)
      server.write('cause.')
      server.finish()
      await reloaded
      expect(storedAnswer(conversation)).toMatchObject({
        status: 'completed',
        content: kind === 'chat' ? 'Because.' : [{ type: 'image_url' }],
      })
      expect(server.requests.map(({ method }) => method)).toEqual(['POST', 'GET'])
    },
  )

  test('an answer is found by the credit that it was sent with, if another has taken its place', async () => {
    creditIdStore.write('leaked-credit')
    const conversation = saveQuestion()
    void askOn(page, conversation)
    await until(isPosted)
    creditReplacementStore.put({ fromCreditId: 'leaked-credit', state: 'done' })
    creditIdStore.write('new-credit')
    void reload()
    await until(() => server.requests.length === 2)
    void askOn(page, saveQuestion())
    await until(() => server.requests.length === 3)
    const usedFor = (method: string) =>
      server.requests.flatMap(one => (one.method === method ? one.headers.get('authorization') : []))
    expect(usedFor('GET')).toEqual(['Bearer leaked-credit'])
    expect(usedFor('POST')).toEqual(['Bearer leaked-credit', 'Bearer new-credit'])
    creditReplacementStore.remove()
  })

  test('the text so far stays if the server no longer has the rest', async () => {
    const conversation = saveQuestion()
    void askOn(page, conversation)
    await until(isPosted)
    server.write('Be')
    await until(() => shownOn(page, conversation)?.answer.text === 'Be')
    await page.leave(server)
    server.finish()
    world.pass(11 * 60_000)
    page = new TestPage(world, server)
    await page.exchanges.resumeAll()
    expect(storedAnswer(conversation)).toMatchObject({
      content: 'Be',
      status: 'failed',
      error_code: 'rest_lost',
    })
    expect(storedAnswer(conversation)?.receipt).toBeUndefined()
  })

  test('a request that never reached the server is repeated under its key, but not an hour later', async () => {
    server.isOffline = true
    const [soon, late] = [saveQuestion(), saveQuestion()]
    void askOn(page, soon)
    void askOn(page, late)
    await until(() => server.requests.length === 2)
    const notedOf = (conversation: Conversation) =>
      JSON.stringify(notedExchanges().filter(one => one.messageId === answerIdOf(conversation)))
    const [ofSoon, ofLate] = [notedOf(soon), notedOf(late)]
    await page.leave(server)
    guardedStorage.write('pendingExchanges', ofSoon)
    server.isOffline = false
    page = new TestPage(world, server)
    void page.exchanges.resumeAll()
    await until(isPosted)
    server.write('Because.')
    server.finish()
    await until(() => storedAnswer(soon)?.status === 'completed')
    expect([...server.postedBodies.values()].map(bodies => bodies.size)).toEqual([1, 1])

    guardedStorage.write('pendingExchanges', ofLate)
    world.pass(60 * 60_000)
    await page.exchanges.resumeAll()
    expect(storedAnswer(late)).toMatchObject({ status: 'failed', error_code: 'rest_lost' })
    expect(server.exchanges).toHaveLength(1)
  })

  test('a request whose text would differ by now is not sent under the first key', async () => {
    server.isOffline = true
    const before: Message[] = [{ role: 'assistant', id: 'earlier', content: 'Half', status: 'stopped' }]
    const conversation = saveQuestion({}, [{ role: 'user', content: 'What?' }, ...before])
    void askOn(page, conversation)
    await until(() => server.requests.length === 1)
    await page.leave(server)
    const [question, , ...rest] = conversation.messages
    const grown: Message = { role: 'assistant', id: 'earlier', content: 'Half and more', status: 'stopped' }
    conversationStore.saveConversation({ ...conversation, messages: [question ?? grown, grown, ...rest] })
    server.isOffline = false
    page = new TestPage(world, server)
    await page.exchanges.resumeAll()
    expect(storedAnswer(conversation)).toMatchObject({ status: 'failed', error_code: 'rest_lost' })
    expect([...server.postedBodies.values()].map(bodies => bodies.size)).toEqual([1])
    expect(server.exchanges).toEqual([])
  })

  test('an answer that another tab is fetching, or has completed, is not fetched', async () => {
    const conversation = saveQuestion()
    void askOn(page, conversation)
    await until(isPosted)
    const other = new TestPage(world, server)
    const resumed = other.exchanges.resumeAll()
    const lookedAfter = other.exchanges.lookAfter(conversation.id, answerIdOf(conversation))
    server.write('Because.')
    server.finish()
    await resumed
    await turns(10)
    world.pass(60_000)
    await lookedAfter
    expect(storedAnswer(conversation)).toMatchObject({ status: 'completed', content: 'Because.' })
    expect(server.requests.map(({ method }) => method)).toEqual(['POST'])
  })

  test('the answer of a closed tab is fetched by another tab', async () => {
    const conversation = saveQuestion()
    void askOn(page, conversation)
    await until(isPosted)
    const other = new TestPage(world, server)
    const resumed = other.exchanges.resumeAll()
    await page.leave(server)
    server.write('Because.')
    server.finish()
    await resumed
    expect(storedAnswer(conversation)).toMatchObject({ status: 'completed', content: 'Because.' })
  })

  test('an answer whose note is gone is closed', async () => {
    const conversation = saveQuestion({ content: 'Be' })
    const closed = page.exchanges.lookAfter(conversation.id, answerIdOf(conversation))
    await turns(10)
    world.pass(60_000)
    await closed
    expect(storedAnswer(conversation)).toMatchObject({
      content: 'Be',
      status: 'failed',
      error_code: 'rest_lost',
    })
  })

  test('notes of earlier versions about running answers can be read', async () => {
    const conversation = saveQuestion()
    const old = { conversationId: conversation.id, messageId: answerIdOf(conversation), exchangeId: null }
    const keys = { idempotencyKey: 'i', resumeKey: 'r', startedAtMs: world.nowMs }
    guardedStorage.write('pendingExchanges', JSON.stringify([{ ...old, ...keys }]))
    void page.exchanges.resumeAll()
    await until(isPosted)
    server.finish()
    await until(() => storedAnswer(conversation)?.status === 'completed')
  })

  test('damaged notes about running answers are ignored', async () => {
    for (const text of ['{', '7', '[null]', '[{"messageId":1}]']) {
      guardedStorage.write('pendingExchanges', text)
      await page.exchanges.resumeAll()
    }
    expect(server.requests).toEqual([])
  })
})

test('a request that one credit may have paid is not sent again with another', async () => {
  server.requestLossCount = 1
  const conversation = saveQuestion()
  void askOn(page, conversation)
  await until(() => server.requests.length === 1)
  await page.leave(server)
  creditIdStore.write('another credit')
  page = new TestPage(world, server)
  const resumed = page.exchanges.resumeAll()
  await turns(100)
  expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(1)
  await resumed
  expect(storedAnswer(conversation)).toMatchObject({ status: 'failed', error_code: 'rest_lost' })
})
