import 'fake-indexeddb/auto'
import { beforeEach, expect, jest, test } from '@jest/globals'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { creditIdStore } from '@/lib/local/credit-id'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { guardedStorage } from '@/lib/local/storage/guarded-storage'
import { TestExchangeServer } from '@/test/stand-ins/exchange-server'
import {
  answerIdOf,
  askOn,
  notedExchanges,
  saveQuestion,
  shownOn,
  storedAnswer,
  TestPage,
} from '@/test/support/exchange-page'
import { TestWorld, until } from '@/test/support/exchange-world'

const world = new TestWorld()
let server = new TestExchangeServer(world)
let page = new TestPage(world, server)
jest.unstable_mockModule('./page-exchanges', () => ({
  pageExchanges: { stop: (id: string) => page.exchanges.stop(id) },
}))
jest.unstable_mockModule('@/components/ui/focus', () => ({
  focusAfterRender: () => undefined,
  focusMessageBox: () => undefined,
}))
const { copyUpTo, deleteTurn } = await import('./edit-turns')

beforeEach(() => {
  guardedStorage.clear()
  creditIdStore.write('credit')
  server = new TestExchangeServer(world)
  page = new TestPage(world, server)
})

async function begin() {
  const conversation = saveQuestion()
  void askOn(page, conversation)
  await until(() => server.exchanges.length > 0)
  server.write('Be')
  await until(() => shownOn(page, conversation)?.answer.text === 'Be')
  return conversation
}

test('deleting a running answer stops it, and undoing restores what had arrived', async () => {
  const conversation = await begin()
  deleteTurn(conversation.id, answerIdOf(conversation), { deleted: 'Deleted.', undo: 'Undo' })
  expect(conversationStore.get(conversation.id)?.messages).toHaveLength(1)
  await until(() => notedExchanges().length === 0)
  expect(server.exchanges[0]?.isStopped).toBe(true)
  expect(conversationStore.get(conversation.id)?.messages).toHaveLength(1)
  noticeStore.getSnapshot()?.action?.run()
  expect(storedAnswer(conversation)).toMatchObject({ status: 'stopped', content: 'Be' })
})

test('a copied conversation does not wait for the answer that its original is receiving', async () => {
  const conversation = await begin()
  const id = copyUpTo(conversationStore.get(conversation.id) ?? conversation, answerIdOf(conversation))
  const copy = conversationStore.get(id)
  expect(copy?.id).not.toBe(conversation.id)
  expect(copy?.messages.at(-1)).toMatchObject({ status: 'stopped' })
  expect(storedAnswer(conversation)).toMatchObject({ status: 'streaming' })
})
