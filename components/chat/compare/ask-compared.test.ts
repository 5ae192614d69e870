import 'fake-indexeddb/auto'
import { beforeEach, expect, jest, test } from '@jest/globals'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { selectedConversationStore } from '@/lib/local/conversations/selected-conversation-store'
import { creditIdStore } from '@/lib/local/credit-id'
import { openComparison } from '@/lib/local/domain/comparisons'
import type { Conversation } from '@/lib/local/domain/conversation'
import { findTurn, replaceMessage, showTurn } from '@/lib/local/domain/turns'
import { lastBalanceStore } from '@/lib/local/last-balance'
import { guardedStorage } from '@/lib/local/storage/guarded-storage'
import { createUuid } from '@/lib/local/uuid'
import { NANO_PER_USD } from '@/lib/money/nano'
import { TestExchangeServer } from '@/test/stand-ins/exchange-server'
import { TestPage } from '@/test/support/exchange-page'
import { TestWorld, until } from '@/test/support/exchange-world'
import { type Draft, draftStore, EMPTY_DRAFT, NEW_CHAT } from '../draft-store'
import { chatModel } from '../testing'

let world = new TestWorld()
let server = new TestExchangeServer(world)
let page = new TestPage(world, server)
jest.unstable_mockModule('../page-exchanges', () => ({
  pageExchanges: {
    ask: (...question: Parameters<TestPage['exchanges']['ask']>) => page.exchanges.ask(...question),
    stop: (id: string) => page.exchanges.stop(id),
  },
}))
const { askCompared, askComparedAgain, askComparedEdited, compareAnswer, keepAnswer, mergeAnswers } =
  await import('./ask-compared')

const modelOf = (id: string) => chatModel({ id, name: id, prices: { prompt: '1', completion: '1' } })
const MODELS = ['one', 'two', 'three'].map(modelOf)
const unknownPrice = () => null
const DRAFT: Draft = { ...EMPTY_DRAFT, text: 'Why?', comparedIds: ['one', 'two', 'three'] }

/** Makes the server refuse these models for lack of credit. */
function refuse(...modelIds: string[]): void {
  const error = { message: 'Too little.', code: 'insufficient_credit', required_usd: 2, available_usd: 0.5 }
  Object.defineProperty(server, 'refusal', {
    get: () =>
      modelIds.includes(JSON.parse(server.requests.at(-1)?.body ?? '{}').model)
        ? { status: 402, error }
        : null,
  })
}

const shown = (): Conversation => {
  const conversation = selectedConversationStore.getSnapshot()
  if (!conversation) throw new Error('no conversation is shown')
  return conversation
}
const columns = () =>
  openComparison(shown()).map(({ model, status, content, error_code }) => [
    model,
    error_code ?? status,
    content,
  ])

async function compared() {
  const asking = askCompared({ conversation: null, draft: DRAFT, models: MODELS, priceOf: unknownPrice })
  await until(() => server.requests.length === 3)
  return { asking }
}

async function answered() {
  const { asking } = await compared()
  await until(() => server.exchanges.length > 0)
  server.write('So.')
  server.finish()
  await asking
}

beforeEach(() => {
  guardedStorage.clear()
  world = new TestWorld()
  server = new TestExchangeServer(world)
  page = new TestPage(world, server)
  creditIdStore.write(createUuid())
  selectedConversationStore.select(null)
  draftStore.set(NEW_CHAT, DRAFT)
})

test('each model gets the same question in an exchange of its own', async () => {
  await answered()
  expect(server.exchanges.map(({ body }) => JSON.parse(body))).toEqual(
    MODELS.map(({ id }) => ({ model: id, messages: [{ role: 'user', content: 'Why?' }], stream: true })),
  )
  expect(new Set(server.exchanges.map(({ key }) => key)).size).toBe(3)
  expect(columns()).toEqual(MODELS.map(({ id }) => [id, 'completed', 'So.']))
  expect(draftStore.get(NEW_CHAT)).toEqual(EMPTY_DRAFT)
})

test('a balance too low for all models in full is shared among them', async () => {
  lastBalanceStore.note(creditIdStore.getSnapshot() ?? '', 1_000, Date.now())
  const priceOf = () => 400n * NANO_PER_USD
  void askCompared({ conversation: null, draft: DRAFT, models: MODELS, priceOf })
  await until(() => server.exchanges.length === 3)
  expect(server.exchanges.map(({ body }) => JSON.parse(body).max_tokens)).toEqual([316, 316, 316])
})

test('an answer that the balance cannot pay for shows an error in its column, and can be asked again', async () => {
  refuse('two')
  await answered()
  expect(columns()).toEqual([
    ['one', 'completed', 'So.'],
    ['two', 'insufficient_credit', ''],
    ['three', 'completed', 'So.'],
  ])
  refuse()
  const failed = openComparison(shown())[1]
  const again = askComparedAgain(shown(), failed?.id ?? '', modelOf('four'))
  await until(() => server.exchanges.length === 3)
  server.write('Late.')
  server.finish()
  expect(await again).toBeNull()
  expect(columns().map(([model, , text]) => [model, text])).toEqual([
    ['one', 'So.'],
    ['four', 'Late.'],
    ['three', 'So.'],
  ])
  expect(shown().messages.at(-1)?.model).toBe('one')
})

test('a partly failed answer is asked again in its column, and its text stays as a version', async () => {
  await answered()
  const failed = openComparison(shown())[1]
  if (!failed) throw new Error('no second answer')
  conversationStore.saveConversation(replaceMessage(shown(), { ...failed, status: 'failed' }))
  const again = askComparedAgain(shown(), failed.id ?? '', modelOf('two'))
  await until(() => server.exchanges.length === 4)
  server.write('Whole.')
  server.finish()
  expect(await again).toBeNull()
  expect(columns().map(([model, , text]) => [model, text])).toEqual([
    ['one', 'So.'],
    ['two', 'Whole.'],
    ['three', 'So.'],
  ])
  expect(findTurn(shown(), failed.id ?? '')).toMatchObject({ content: 'So.', status: 'failed' })
})

test('an answer refused for exceeding its price limit is asked again without that limit', async () => {
  await answered()
  const failed = openComparison(shown())[1]
  if (!failed) throw new Error('no second answer')
  const limit = () => server.requests.at(-1)?.headers.get('x-max-charge-usd')
  expect(limit()).not.toBeNull()
  const unpromised = { ...failed, content: '', status: 'failed', error_code: 'price_above_limit' } as const
  conversationStore.saveConversation(replaceMessage(shown(), unpromised))
  void askComparedAgain(shown(), failed.id ?? '', modelOf('two'))
  await until(() => server.exchanges.length === 4)
  expect(limit()).toBeNull()
})

test('a partly failed answer keeps its text when the balance cannot pay for another try', async () => {
  await answered()
  const failed = openComparison(shown())[1]
  if (!failed) throw new Error('no second answer')
  conversationStore.saveConversation(replaceMessage(shown(), { ...failed, status: 'failed' }))
  const before = shown()
  refuse('two')
  expect(await askComparedAgain(before, failed.id ?? '', modelOf('two'))).not.toBeNull()
  expect(columns()).toEqual([
    ['one', 'completed', 'So.'],
    ['two', 'failed', 'So.'],
    ['three', 'completed', 'So.'],
  ])
  expect(shown().messages).toEqual(before.messages)
})

test('if the balance pays for no answer, the question and its models return to the composer', async () => {
  refuse('one', 'two', 'three')
  const { asking } = await compared()
  expect(await asking).toEqual({ requiredUsd: '2', availableUsd: '0.5' })
  expect(selectedConversationStore.getSnapshot()).toBeNull()
  expect(draftStore.get(NEW_CHAT)).toEqual(DRAFT)
})

test('after a reload every answer is resumed to its end, and none is requested twice', async () => {
  await compared()
  await until(() => server.exchanges.length === 3)
  server.write('Be')
  await page.leave(server)
  expect(columns().map(([, status]) => status)).toEqual(['streaming', 'streaming', 'streaming'])
  page = new TestPage(world, server)
  const resumed = page.exchanges.resumeAll()
  await until(() => server.requests.length === 6)
  server.write('cause.')
  server.finish()
  await resumed
  expect(columns()).toEqual(MODELS.map(({ id }) => [id, 'completed', 'Because.']))
  expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(3)
})

test('the text so far is kept when the server no longer has the rest of the answers', async () => {
  await compared()
  await until(() => server.exchanges.length === 3)
  server.write('Be')
  const isRead = () =>
    openComparison(shown()).every(({ id }) => page.live.get(id ?? '')?.answer.text === 'Be')
  await until(isRead)
  await page.leave(server)
  server.finish()
  world.pass(11 * 60_000)
  page = new TestPage(world, server)
  await page.exchanges.resumeAll()
  expect(columns()).toEqual(MODELS.map(({ id }) => [id, 'rest_lost', 'Be']))
})

test('one answer can be stopped on its own, and keeping one stops the others', async () => {
  const { asking } = await compared()
  await until(() => server.exchanges.length === 3)
  server.write('Be')
  const isRead = () =>
    openComparison(shown()).every(({ id }) => page.live.get(id ?? '')?.answer.text === 'Be')
  await until(isRead)
  const [, second, third] = openComparison(shown()).map(({ id }) => id ?? '')
  page.exchanges.stop(third ?? '')
  await until(() => columns()[2]?.[1] === 'stopped')
  expect(columns().map(([, status]) => status)).toEqual(['streaming', 'streaming', 'stopped'])
  keepAnswer(shown().id, second ?? '')
  expect(openComparison(shown())).toEqual([])
  await until(() => server.exchanges[0]?.isStopped === true)
  server.write('cause.')
  server.finish()
  await asking
  expect(shown().messages.map(({ content }) => content)).toEqual(['Why?', 'Because.'])
  expect(shown().model).toBe('two')
  expect(shown().branches?.map(({ model, status, content }) => [model, status, content])).toEqual([
    ['one', 'stopped', 'Be'],
    ['three', 'stopped', 'Be'],
  ])
})

test('a merge sends the answers as data, and its result replaces them', async () => {
  await answered()
  const answers = openComparison(shown())
  const merging = mergeAnswers(shown(), answers.slice(1), modelOf('judge'))
  await until(() => server.exchanges.length === 4)
  const body = JSON.parse(server.exchanges[3]?.body ?? '')
  expect(body).toMatchObject({ model: 'judge', messages: [{ role: 'user' }] })
  expect(body.messages[0].content).toMatch(/^Why\?\n\n\(End of the message\.\).*\n\n\["So\.","So\."\]$/s)
  server.write('Both.')
  server.finish()
  expect(await merging).toBeNull()
  expect(shown().messages.map(({ content }) => content)).toEqual(['Why?', 'Both.'])
  expect(openComparison(shown())).toEqual([])
  expect(shown().branches?.map(({ id }) => id)).toEqual(answers.map(({ id }) => id))
})

test('a merge that the balance cannot pay for leaves the answers side by side', async () => {
  await answered()
  const before = columns()
  refuse('judge')
  expect(await mergeAnswers(shown(), openComparison(shown()), modelOf('judge'))).not.toBeNull()
  expect(columns()).toEqual(before)
  expect(shown().model).toBe('one')
})

test('an edited question is answered again by all compared models', async () => {
  await answered()
  const first = shown()
  const questionId = first.messages.at(-2)?.id ?? ''
  const again = askComparedEdited(first, questionId, ' How? ', MODELS, unknownPrice)
  await until(() => server.requests.length === 6)
  server.write('Thus.')
  server.finish()
  expect(await again).toBeNull()
  expect(shown().messages.at(-2)?.content).toBe('How?')
  expect(columns()).toEqual(['one', 'two', 'three'].map(model => [model, 'completed', 'Thus.']))

  // The first answers stay as a version, side by side as before.
  conversationStore.saveConversation(showTurn(shown(), questionId))
  expect(columns()).toEqual(['one', 'two', 'three'].map(model => [model, 'completed', 'So.']))
})

test('an edit that the balance cannot pay for changes nothing, and its text goes to the composer', async () => {
  await answered()
  const first = shown()
  refuse('one', 'two', 'three')
  const questionId = first.messages.at(-2)?.id ?? ''
  expect(await askComparedEdited(first, questionId, 'How?', MODELS, unknownPrice)).toMatchObject({
    requiredUsd: '2',
  })
  expect(shown().messages.map(({ id }) => id)).toEqual(first.messages.map(({ id }) => id))
  expect(columns().map(([, , text]) => text)).toEqual(['So.', 'So.', 'So.'])
  expect(draftStore.get(first.id)).toMatchObject({ text: 'How?', comparedIds: ['one', 'two', 'three'] })
})

test('an existing answer can be compared with others, and keeps the messages that follow it', async () => {
  const turn = (role: 'user' | 'assistant', id: string) => ({
    role,
    id,
    content: id,
    created_at: `2026-11-0${id.at(-1)}`,
  })
  const id = createUuid()
  const messages = [turn('user', 'q1'), turn('assistant', 'a2'), turn('user', 'q3'), turn('assistant', 'a4')]
  conversationStore.saveConversation({ id, created_at: '2026-11-01', messages })
  selectedConversationStore.select(id)
  const asking = compareAnswer(shown(), 'a2', MODELS.slice(0, 1), unknownPrice)
  await until(() => server.exchanges.length === 1)
  server.write('So.')
  server.finish()
  await asking
  expect(columns().map(([, , text]) => text)).toEqual(['a2', 'So.'])
  keepAnswer(id, 'a2')
  expect(shown().messages.map(one => one.id)).toEqual(['q1', 'a2', 'q3', 'a4'])
  refuse('two', 'three')
  expect(await compareAnswer(shown(), 'a4', MODELS.slice(1), unknownPrice)).not.toBeNull()
  expect(shown().messages.map(one => one.id)).toEqual(['q1', 'a2', 'q3', 'a4'])
  expect(openComparison(shown())).toEqual([])
})
