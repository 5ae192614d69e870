import 'fake-indexeddb/auto'
import { beforeEach, expect, jest, test } from '@jest/globals'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { creditIdStore } from '@/lib/local/credit-id'
import type { Conversation, Message } from '@/lib/local/domain/conversation'
import { createUuid } from '@/lib/local/uuid'
import { TestExchangeServer } from '@/test/stand-ins/exchange-server'
import { TestPage } from '@/test/support/exchange-page'
import { TestWorld, until } from '@/test/support/exchange-world'
import { draftStore } from './draft-store'
import { chatModel } from './testing'

const world = new TestWorld()
const server = new TestExchangeServer(world)
const { exchanges: pageExchanges } = new TestPage(world, server)
jest.unstable_mockModule('./page-exchanges', () => ({ pageExchanges }))
const { answerAgain, askEdited, continueAnswer } = await import('./ask-question')

const DEAR = chatModel({ id: 'dear', prices: { prompt: '1', completion: '1' } })

const turn = (role: Message['role'], id: string, rest: Partial<Message> = {}): Message => ({
  role,
  id,
  content: id,
  created_at: `2026-11-20T00:00:0${id.at(-1)}.000Z`,
  ...rest,
})

/** Two questions, each with an older version as the one shown. */
function saveBranched(): Conversation {
  const conversation: Conversation = {
    id: createUuid(),
    created_at: '2026-11-20T00:00:00.000Z',
    model: 'cheap',
    messages: [turn('user', 'q1'), turn('assistant', 'a2'), turn('user', 'q3'), turn('assistant', 'a4')],
    branches: [turn('user', 'q5', { parent: 'a2' }), turn('assistant', 'a6', { parent: 'q5' })],
  }
  conversationStore.saveConversation(conversation)
  return conversationStore.get(conversation.id) ?? conversation
}

beforeEach(() => {
  creditIdStore.write(createUuid())
  const error = { message: 'Too little.', code: 'insufficient_credit', required_usd: 2, available_usd: 0.5 }
  server.refusal = { status: 402, error }
})

test.each<[string, (conversation: Conversation) => Promise<unknown>]>([
  ['an edit', conversation => askEdited(conversation, 'q1', 'other words', DEAR, null)],
  ['an edit of what has versions', conversation => askEdited(conversation, 'q3', 'other words', DEAR, null)],
  ['another answer', conversation => answerAgain(conversation, 'a2', DEAR, null)],
  ['the rest of an answer', conversation => continueAnswer(conversation, 'a2', DEAR, null)],
  [
    'another answer in the place of an empty one',
    conversation => {
      const messages = conversation.messages.map(one => (one.id === 'a4' ? { ...one, content: '' } : one))
      conversationStore.saveConversation({ ...conversation, messages })
      return answerAgain(conversationStore.get(conversation.id) ?? conversation, 'a4', DEAR, null)
    },
  ],
])('%s that the balance cannot pay for changes nothing in the conversation', async (_, ask) => {
  const before = saveBranched()
  expect(await ask(before)).toEqual({ requiredUsd: '2', availableUsd: '0.5' })
  const after = conversationStore.get(before.id)
  expect(after?.messages.map(({ id }) => id)).toEqual(['q1', 'a2', 'q3', 'a4'])
  expect(after?.branches?.map(({ id, parent }) => [id, parent])).toEqual([
    ['q5', 'a2'],
    ['a6', 'q5'],
  ])
  expect(after?.model).toBe('cheap')
})

test('the rest of an answer takes the place of one that failed without a word', async () => {
  server.refusal = null
  const conversation: Conversation = {
    id: createUuid(),
    created_at: '2026-11-20T00:00:00.000Z',
    messages: [
      turn('user', 'q1'),
      turn('assistant', 'a2'),
      turn('assistant', 'a3', { content: '', continues: true, status: 'failed' }),
    ],
  }
  conversationStore.saveConversation(conversation)
  void continueAnswer(conversationStore.get(conversation.id) ?? conversation, 'a3', DEAR, null)
  await until(() => server.exchanges.length > 0)
  const after = conversationStore.get(conversation.id)
  const [rest, ...before] = (after?.messages ?? []).toReversed()
  expect(before.map(({ id }) => id)).toEqual(['a2', 'q1'])
  expect(rest).toMatchObject({ continues: true, status: 'streaming' })
  expect(after?.branches ?? []).toEqual([])
})

test('an edit that the balance cannot pay for joins what stands in the message box, with its attachments', async () => {
  const conversation = saveBranched()
  const { id } = conversation
  draftStore.set(id, { text: 'next', pictureUrls: ['picture'], documents: [], comparedIds: ['a', 'b'] })
  await askEdited(conversation, 'q3', 'other words', DEAR, null)
  expect(draftStore.get(id)).toEqual({
    text: 'other words\n\nnext',
    pictureUrls: ['picture'],
    documents: [],
    comparedIds: ['a', 'b'],
  })
})
