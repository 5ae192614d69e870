import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { isConversation } from '../conversations/is-conversation'
import { mergeConversation } from '../conversations/merge-conversations'
import { EMPTY_CONVERSATION, expectTree, idsOf } from '../testing'
import {
  addCompared,
  answerToContinueFrom,
  closeComparison,
  comparedWith,
  keepCompared,
  openComparison,
  reopenComparison,
  runningAnswers,
} from './comparisons'
import type { Conversation, Message } from './conversation'
import { addTurns, allMessages, pathTo, showTurn } from './turns'

const at = (tick: number) => new Date(Date.UTC(2026, 10, 2, 0, 0, 0, tick)).toISOString()

const question = (id: string, tick: number): Message => ({
  role: 'user',
  id,
  content: id,
  created_at: at(tick),
})
const answer = (id: string, tick: number, rest: Partial<Message> = {}): Message => ({
  role: 'assistant',
  id,
  content: id,
  model: `model of ${id}`,
  status: 'completed',
  created_at: at(tick),
  ...rest,
})

/** A question with this many answers side by side. */
function compare(conversation: Conversation, name: string, count: number, tick: number): Conversation {
  const asked = addTurns(conversation, conversation.messages.at(-1)?.id ?? null, [question(`${name}?`, tick)])
  const answers = Array.from({ length: count }, (_, index) =>
    answer(`${name}${index}`, tick + index + 1, { comparison: name }),
  )
  return addCompared(asked, `${name}?`, answers)
}

interface Step {
  readonly act: 'ask' | 'compare' | 'keep' | 'reopen' | 'merge' | 'show'
  readonly at: number
}

const steps = fc.array(
  fc.record<Step>({
    act: fc.constantFrom('ask', 'compare', 'keep', 'reopen', 'merge', 'show'),
    at: fc.nat(30),
  }),
  { maxLength: 12 },
)

function perform(start: Conversation, taken: readonly Step[], name: string): Conversation {
  return taken.reduce((conversation, { act, at: chosen }, index) => {
    const tick = index * 10
    const all = allMessages(conversation).filter(({ role }) => role === 'assistant')
    const one = all[chosen % Math.max(1, all.length)]
    const own = `${name}${index}`
    if (act === 'compare') return compare(closeComparison(conversation), own, 2 + (chosen % 3), tick)
    if (act === 'ask') {
      const closed = closeComparison(conversation)
      return addTurns(closed, closed.messages.at(-1)?.id ?? null, [
        question(`${own}?`, tick),
        answer(own, tick + 1),
      ])
    }
    if (!one?.id) return conversation
    if (act === 'show') return showTurn(conversation, one.id)
    if (act === 'keep') return keepCompared(conversation, one.id)
    if (act === 'reopen') return reopenComparison(conversation, one.id)
    const asked = pathTo(conversation, one.id).at(-2)?.id ?? null
    const merges = idsOf(comparedWith(conversation, one.id))
    return addTurns(conversation, asked, [
      answer(own, tick, { comparison: one.comparison, kept: true, merges }),
    ])
  }, start)
}

const addedIds = (taken: readonly Step[], conversation: Conversation) =>
  taken.flatMap(({ act }, index) =>
    act === 'ask' || act === 'compare'
      ? [allMessages(conversation).some(({ id }) => id === `m${index}?`)]
      : [],
  )

test('comparing, choosing, merging and continuing lose no message', () => {
  fc.assert(
    fc.property(steps, taken => {
      const conversation = perform(EMPTY_CONVERSATION, taken, 'm')
      expectTree(conversation)
      expect(addedIds(taken, conversation)).not.toContain(false)
      const answerCount = taken.reduce(
        (sum, { act, at: chosen }) => sum + (act === 'ask' ? 1 : act === 'compare' ? 2 + (chosen % 3) : 0),
        0,
      )
      const first = allMessages(conversation).filter(({ role, merges }) => role === 'assistant' && !merges)
      expect(first).toHaveLength(answerCount)
      expect(isConversation(JSON.parse(JSON.stringify(conversation)))).toBe(true)
    }),
  )
})

test('two tabs that compare, choose and merge in parallel lose no message', () => {
  const stamped = (conversation: Conversation, tick: number): Conversation => ({
    ...conversation,
    updated_at: at(100_000 + tick),
  })
  fc.assert(
    fc.property(steps, steps, steps, fc.nat(1), (before, left, right, tick) => {
      const base = perform(EMPTY_CONVERSATION, before, 'b')
      const [one, other] = [stamped(perform(base, left, 'l'), 0), stamped(perform(base, right, 'r'), tick)]
      const merged = mergeConversation(one, other)
      expectTree(merged)
      const all = [...idsOf(allMessages(one)), ...idsOf(allMessages(other))]
      expect(idsOf(allMessages(merged)).sort()).toEqual([...new Set(all)].sort())
      expect(mergeConversation(other, one)).toEqual(merged)
    }),
  )
})

test('an open comparison shows its answers in the order of the models, and closes with the chosen one', () => {
  const open = compare(EMPTY_CONVERSATION, 'x', 3, 0)
  expect(idsOf(openComparison(open))).toEqual(['x0', 'x1', 'x2'])
  expect(idsOf(open.messages)).toEqual(['x?', 'x0'])
  const kept = keepCompared(open, 'x1')
  expect(openComparison(kept)).toEqual([])
  expect(kept).toMatchObject({ model: 'model of x1', messages: [{ id: 'x?' }, { id: 'x1', kept: true }] })
  expect(openComparison(showTurn(kept, 'x2'))).toEqual([])
  expect(idsOf(openComparison(reopenComparison(kept, 'x1')))).toEqual(['x0', 'x1', 'x2'])
})

test('choosing an answer drops refused ones, but none with text or a charge', () => {
  const open = compare(EMPTY_CONVERSATION, 'x', 4, 0)
  const free = { cost_usd: '0', input_token_count: 0, output_token_count: 0, estimated: false }
  const changes: Record<string, Partial<Message>> = {
    x1: { content: '', status: 'failed', receipt: free },
    x2: { content: '', status: 'failed', receipt: { ...free, cost_usd: '0.01' } },
    x3: { content: '', status: 'failed' },
  }
  const branches = open.branches?.map(one => ({ ...one, ...changes[one.id ?? ''] }))
  const kept = keepCompared({ ...open, branches }, 'x0')
  expect(idsOf(allMessages(kept))).toEqual(['x?', 'x0', 'x2', 'x3'])
})

test('the next question continues from the first answer with text or a picture', () => {
  const open = compare(EMPTY_CONVERSATION, 'x', 3, 0)
  expect(answerToContinueFrom(open)?.id).toBe('x0')
  const messages = open.messages.map(one => (one.id === 'x0' ? { ...one, content: '' } : one))
  const silent = { ...open, messages }
  expect(answerToContinueFrom(silent)?.id).toBe('x1')
  const image_url = { url: 'image-store:a', created_at: at(0) }
  const drawn = messages.map(one =>
    one.id === 'x0' ? { ...one, content: [{ type: 'image_url' as const, image_url }] } : one,
  )
  expect(answerToContinueFrom({ ...open, messages: drawn })?.id).toBe('x0')
  const asked = addTurns(closeComparison(silent), 'x1', [question('next', 9)])
  expect(idsOf(asked.messages)).toEqual(['x?', 'x1', 'next'])
  expect(openComparison(asked)).toEqual([])
})

test('an open comparison is busy until all its answers are complete, and others do not count', () => {
  const open = compare(EMPTY_CONVERSATION, 'x', 3, 0)
  const branches = open.branches?.map(one => ({ ...one, status: 'streaming' as const }))
  const running = { ...open, branches }
  expect(runningAnswers(running)).toEqual(['x1', 'x2'])
  expect(runningAnswers(keepCompared(running, 'x0'))).toEqual([])
  expect(runningAnswers(keepCompared(running, 'x1'))).toEqual(['x1'])
})
