import 'fake-indexeddb/auto'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { conversations } from '@/lib/local/conversations/conversations'
import { creditIdStore } from '@/lib/local/credit-id'
import type { Conversation } from '@/lib/local/domain/conversation'
import { guardedStorage } from '@/lib/local/storage/guarded-storage'
import { CONVERSATION_HISTORY_KEY } from '@/lib/local/storage/storage-keys'
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

const DAY_MS = 24 * 60 * 60_000

let { world, server, page } = openBrowser()

beforeEach(() => {
  ;({ world, server, page } = openBrowser())
})

async function askOffline() {
  world.isOnline = false
  const conversation = saveQuestion()
  const asked = askOn(page, conversation)
  await until(() => shownOn(page, conversation)?.phase === 'offline')
  return { conversation, asked }
}

function deleteMessages(conversationId: string): void {
  const conversation = conversationStore.get(conversationId)
  if (conversation) conversationStore.saveConversation({ ...conversation, messages: [] })
}

/** As by another tab whose note this one has not been told of: it was asleep. */
function stopUnheard(conversation: Conversation): void {
  new TestPage(world, server).exchanges.stop(answerIdOf(conversation))
}

async function comeBack(): Promise<void> {
  world.isOnline = true
  world.wake()
  await until(() => server.exchanges.length > 0)
  server.write('Because.')
  server.finish()
}

describe('a question that is asked offline', () => {
  test('waits, and is sent once the network is back', async () => {
    const { conversation, asked } = await askOffline()
    world.wake()
    world.pass(DAY_MS)
    await turns(20)
    expect(server.requests).toEqual([])
    await comeBack()
    await asked
    expect(server.requests.map(({ method }) => method)).toEqual(['POST'])
    expect(storedAnswer(conversation)).toMatchObject({ status: 'completed', content: 'Because.' })
  })

  test('is withdrawn by a stop, and costs nothing', async () => {
    const { conversation, asked } = await askOffline()
    page.exchanges.stop(answerIdOf(conversation))
    await asked
    await until(() => notedExchanges().length === 0)
    world.isOnline = true
    world.wake()
    await turns(20)
    expect(server.requests).toEqual([])
    expect(storedAnswer(conversation)).toMatchObject({ status: 'stopped', receipt: { cost_usd: '0' } })
  })

  test('is withdrawn by a stop in another tab after its own was closed', async () => {
    const { conversation } = await askOffline()
    await page.leave(server)
    new TestPage(world, server).exchanges.stop(answerIdOf(conversation))
    await turns(100)
    expect(storedAnswer(conversation)).toMatchObject({ status: 'stopped', receipt: { cost_usd: '0' } })
    expect(notedExchanges()).toEqual([])
  })

  test('survives a reload, and only one of two tabs sends it', async () => {
    const { conversation } = await askOffline()
    await page.leave(server)
    world.pass(DAY_MS)
    const tabs = [new TestPage(world, server), new TestPage(world, server)]
    const resumed = tabs.map(tab => tab.exchanges.resumeAll())
    await until(() => tabs.some(tab => shownOn(tab, conversation)?.phase === 'offline'))
    await comeBack()
    await Promise.all(resumed)
    expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(1)
    expect(storedAnswer(conversation)).toMatchObject({ status: 'completed', content: 'Because.' })
  })

  test.each<[string, (conversation: Conversation) => void]>([
    ['its conversation was deleted', ({ id }) => conversationStore.deleteConversation(id)],
    ['another tab has deleted everything', () => conversations.onOtherTab(null, null)],
    ['it was deleted', ({ id }) => deleteMessages(id)],
    ['a tab that was not heard has stopped it', conversation => void stopUnheard(conversation)],
    ['seven days have passed', () => world.pass(7 * DAY_MS)],
    ['the credit was removed', () => creditIdStore.remove()],
  ])('is not sent if %s meanwhile', async (_, change) => {
    const { conversation, asked } = await askOffline()
    change(conversation)
    world.isOnline = true
    world.wake()
    await turns(100)
    expect(server.requests).toEqual([])
    await asked
    await until(() => notedExchanges().length === 0)
  })

  test('is paid by the credit that the browser has when it is sent', async () => {
    const { asked } = await askOffline()
    creditIdStore.write('another credit')
    await comeBack()
    await asked
    expect(server.requests[0]?.headers.get('authorization')).toBe('Bearer another credit')
  })
})

test('going offline in the middle of an answer is told at once, until more of it arrives', async () => {
  const conversation = saveQuestion()
  const asked = askOn(page, conversation)
  await until(() => server.exchanges.length > 0)
  server.write('Be')
  const phase = () => shownOn(page, conversation)?.phase
  await until(() => phase() === 'streaming')
  world.goOffline()
  await until(() => phase() === 'reconnecting')
  server.write('cause.')
  await until(() => phase() === 'streaming')
  server.finish()
  await asked
  expect(storedAnswer(conversation)).toMatchObject({ status: 'completed', content: 'Because.' })
})

test('the rest of an answer is not given up while offline', async () => {
  const conversation = saveQuestion()
  const asked = askOn(page, conversation)
  await until(() => server.exchanges.length > 0)
  world.isOnline = false
  server.cut()
  await until(() => shownOn(page, conversation)?.phase === 'reconnecting')
  const { length } = server.requests
  for (let minute = 0; minute < 30; minute += 1) {
    world.pass(60_000)
    await turns(5)
  }
  expect(server.requests).toHaveLength(length)
  await comeBack()
  await asked
  expect(storedAnswer(conversation)).toMatchObject({ status: 'completed', content: 'Because.' })
})

test('an answer that another tab has just completed is not called lost here', async () => {
  const conversation = saveQuestion()
  const [question, answer] = conversation.messages
  // What that tab has written, of which this one has not been told yet.
  const ended = { ...answer, content: 'Because.', status: 'completed' }
  const updated_at = new Date(Date.now() + 1_000).toISOString()
  guardedStorage.write(
    CONVERSATION_HISTORY_KEY,
    JSON.stringify([{ ...conversation, messages: [question, ended], updated_at }]),
  )
  expect(storedAnswer(conversation)).toMatchObject({ status: 'streaming' })
  const closed = page.exchanges.lookAfter(conversation.id, answerIdOf(conversation))
  await turns(10)
  world.pass(60_000)
  await closed
  expect(storedAnswer(conversation)).toMatchObject({ status: 'completed', content: 'Because.' })
  expect(conversationStore.get(conversation.id)?.messages).toHaveLength(2)
})
