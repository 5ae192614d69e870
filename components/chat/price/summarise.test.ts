/** @jest-environment jsdom */
import { beforeEach, expect, jest, test } from '@jest/globals'
import { chatRequest } from '@/lib/exchange/client/request-body'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { isConversation } from '@/lib/local/conversations/is-conversation'
import type { Conversation, Message } from '@/lib/local/domain/conversation'
import { mergeTurns } from '@/lib/local/domain/merge-turns'
import {
  addTurns,
  pathTo,
  removeMessages,
  removeTurn,
  summariesOf,
  variantsOf,
  withTurns,
} from '@/lib/local/domain/turns'
import type { pageExchanges } from '../page-exchanges'
import { chatModel } from '../testing'

const exchanges = { ask: jest.fn<typeof pageExchanges.ask>(async () => null) }
jest.unstable_mockModule('../page-exchanges', () => ({ pageExchanges: exchanges, liveAnswers: {} }))
jest.unstable_mockModule('@/components/credit/ensure-credit', () => ({ ensureCredit: async () => 'id' }))
const { planSummary, summarise } = await import('./summarise')

const modelAt = (id: string, usd: string, windowTokens: number | null = null) =>
  chatModel({
    id,
    name: id,
    takesPictures: true,
    takesFiles: true,
    windowTokens,
    controls: { temperature: true, outputTokensMax: null, efforts: id === 'thinker' ? ['high', 'low'] : [] },
    prices: { prompt: usd, completion: usd },
  })
const DEAR = modelAt('dear', '0.00001')
const CHEAP = modelAt('cheap', '0.000001')
const MODELS = [DEAR, CHEAP, modelAt('narrow', '0.0000001', 1_000), modelAt('thinker', '0.000002')]

const turns = (count: number): Message[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `m${index}`,
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `${index}: ${'word '.repeat(250)}`,
    status: 'completed',
  }))
const saved = (): Conversation => conversationStore.get('c') ?? { id: 'c', created_at: '', messages: [] }
const sentFor = async (conversation: Conversation, answerId: string) => {
  const messages = pathTo(conversation, answerId)
  return JSON.parse(await chatRequest({ ...conversation, messages }, answerId))
}
const askedNext = (conversation: Conversation, afterId = 'm11') =>
  addTurns(conversation, afterId, [
    { id: 'next', role: 'user', content: 'And now?' },
    { id: 'answer', role: 'assistant', content: '', status: 'streaming' },
  ])

/** A conversation of twelve messages, ten of which the cheap model has summarised. */
async function summarised(): Promise<{ conversation: Conversation; summary: Message }> {
  await summarise('c', 'm9', CHEAP, null)
  const written = summariesOf(saved()).get('m9')
  if (!written) throw new Error('a summary')
  const summary: Message = { ...written, content: 'Short.', status: 'completed' }
  const branches = saved().branches?.map(one => (one.id === summary.id ? summary : one))
  return { conversation: withTurns(saved(), { messages: saved().messages, branches }), summary }
}

beforeEach(() => {
  localStorage.clear()
  localStorage.setItem('maxContext', '100000')
  conversationStore.saveConversation({ id: 'c', created_at: '2026-11-20T00:00:00.000Z', messages: turns(12) })
})

test('a summary is offered by models that can read everything, cheapest first, at the price that is then asked', async () => {
  const plan = planSummary(DEAR, saved(), MODELS)
  expect(plan).toMatchObject({ afterId: 'm9', count: 10 })
  expect(plan?.offers.map(({ model }) => model.id)).toEqual(['cheap', 'thinker', 'dear'])
  // About 2,500 tokens, at a hundredth of a cent each, are no longer sent.
  expect(Number(plan?.saved)).toBeGreaterThan(15_000_000)
  await summarise('c', 'm9', CHEAP, null)
  const [, , answerId, kind, mostUsd] = exchanges.ask.mock.lastCall ?? []
  expect(kind).toBe('chat')
  expect(Number(mostUsd) * 1e9).toBe(Number(plan?.offers[0]?.most))
  const body = await sentFor(saved(), answerId ?? '')
  expect(body).toMatchObject({ model: 'cheap', max_tokens: 1_000 })
  expect(body.messages).toHaveLength(11)
  expect(body.messages.at(-1)?.content).toMatch(/^Summarise our conversation/)
})

test('a summary is not offered for a short chat', () => {
  expect(planSummary(DEAR, { ...saved(), messages: turns(4) }, MODELS)).toBeNull()
})

test('a summary is sent instead of its messages, which stay in the stored conversation', async () => {
  const { conversation, summary } = await summarised()
  expect(isConversation(JSON.parse(JSON.stringify(conversation)))).toBe(true)
  expect(conversation.messages.map(({ id }) => id)).toEqual(turns(12).map(({ id }) => id))
  const { messages } = await sentFor(askedNext(conversation), 'answer')
  expect(messages.map(({ content }: Message) => String(content).slice(-6))).toEqual([
    'Short.',
    ...turns(12)
      .slice(10)
      .map(({ content }) => String(content).slice(-6)),
    'd now?',
  ])
  const without = removeMessages(conversation, [summary.id ?? ''])
  expect((await sentFor(askedNext(without), 'answer')).messages).toHaveLength(13)
})

test.each<[string, Partial<Message>]>([
  ['streaming', { status: 'streaming' }],
  ['stopped', { status: 'stopped' }],
  ['cut off at its length limit', { finish_reason: 'length' }],
])('a summary that is %s is not used', async (_, change) => {
  const { conversation, summary } = await summarised()
  const branches = conversation.branches?.map(one => (one.id === summary.id ? { ...one, ...change } : one))
  const asked = askedNext(withTurns(conversation, { messages: conversation.messages, branches }))
  expect((await sentFor(asked, 'answer')).messages).toHaveLength(13)
})

test('a summary applies only to the branch that it was made of, and is never shown as a turn', async () => {
  const { conversation } = await summarised()
  // An edit of a question within the summarised part branches off before its end.
  const edited = askedNext(conversation, 'm3')
  expect((await sentFor(edited, 'answer')).messages).toHaveLength(5)
  expect(summariesOf(edited).size).toBe(0)
  // After its end, the summary applies to every branch.
  const beside = askedNext(conversation, 'm9')
  expect((await sentFor(beside, 'answer')).messages).toHaveLength(2)
  // With m10 removed, m9 is the last turn shown: the summary after it is no turn, and has no versions.
  const cut = removeTurn(conversation, 'm10').conversation
  expect(cut.messages.at(-1)?.id).toBe('m9')
  expect(variantsOf(conversation).size).toBe(0)
  // It is removed with the message that it follows.
  expect(removeTurn(conversation, 'm9').conversation.branches ?? []).toEqual([])
})

test('a summary survives a merge with another tab that does not have it', async () => {
  const { conversation, summary } = await summarised()
  const other = { messages: turns(12) }
  for (const merged of [
    mergeTurns(other, conversation, message => message),
    mergeTurns(conversation, other, message => message),
  ]) {
    expect(merged.messages).toHaveLength(12)
    expect(summariesOf(merged).get('m9')?.id).toBe(summary.id)
  }
})
