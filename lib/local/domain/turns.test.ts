import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { endsInTime } from '@/test/support/ends-in-time'
import { mergeConversation } from '../conversations/merge-conversations'
import { EMPTY_CONVERSATION, expectTree, idsOf } from '../testing'
import type { Conversation, Message } from './conversation'
import {
  addTurns,
  allMessages,
  findTurn,
  pathTo,
  removeMessages,
  removeTurn,
  restoreTurns,
  showTurn,
  variantsOf,
  withMessageIds,
} from './turns'

const message = (id: string, tick: number): Message => ({
  role: 'user',
  id,
  content: id,
  created_at: new Date(Date.UTC(2026, 10, 2, 0, 0, tick)).toISOString(),
})

const allIds = (conversation: Conversation) => idsOf(allMessages(conversation)).sort()

interface Step {
  readonly act: 'append' | 'branch' | 'show' | 'remove'
  /** The index of one of the messages. */
  readonly at: number
}

const step = fc.record<Step>({ act: fc.constantFrom('append', 'branch', 'show', 'remove'), at: fc.nat(30) })
const steps = fc.array(step, { maxLength: 14 })
/** Enough for forks after forks. */
const manySteps = fc.array(step, { minLength: 10, maxLength: 24 })

/** Carries out the steps; new messages are named after whoever adds them. */
function perform(start: Conversation, taken: readonly Step[], name: string): Conversation {
  return taken.reduce((conversation, { act, at }, index) => {
    const all = allMessages(conversation)
    const chosen = all[at % Math.max(1, all.length)]?.id ?? null
    const added = [message(`${name}${index}`, index), message(`${name}${index}+`, index)]
    if (act === 'append') return addTurns(conversation, conversation.messages.at(-1)?.id ?? null, added)
    if (act === 'branch') return addTurns(conversation, at % 5 === 0 ? null : chosen, added)
    if (chosen === null) return conversation
    return act === 'show' ? showTurn(conversation, chosen) : removeTurn(conversation, chosen).conversation
  }, start)
}

const removedBy = (taken: readonly Step[]) => taken.some(({ act }) => act === 'remove')

describe('a conversation with branches', () => {
  test('keeps every message reachable after any operation', () => {
    fc.assert(
      fc.property(steps, taken => {
        const conversation = perform(EMPTY_CONVERSATION, taken, 'm')
        expectTree(conversation)
        if (removedBy(taken)) return
        const addedCount = taken.filter(({ act }) => act === 'append' || act === 'branch').length
        expect(allMessages(conversation)).toHaveLength(addedCount * 2)
      }),
    )
  })

  test('shows the requested version and loses nothing', () => {
    fc.assert(
      fc.property(steps, fc.nat(30), (taken, at) => {
        const conversation = perform(EMPTY_CONVERSATION, taken, 'm')
        const ids = allIds(conversation)
        const id = ids[at % Math.max(1, ids.length)]
        if (id === undefined) return
        const shown = showTurn(conversation, id)
        expect(idsOf(shown.messages)).toContain(id)
        expect(allIds(shown)).toEqual(ids)
        // Returns to what was shown before.
        const before = conversation.messages.at(-1)?.id ?? ''
        expect(idsOf(showTurn(shown, before).messages)).toEqual(idsOf(conversation.messages))
      }),
    )
  })

  test('lists the versions of a shown message', () => {
    fc.assert(
      fc.property(steps, taken => {
        const conversation = perform(EMPTY_CONVERSATION, taken, 'm')
        for (const [id, variants] of variantsOf(conversation)) {
          expect(variants).toContain(id)
          expect(variants.length).toBeGreaterThan(1)
          for (const other of variants) {
            const shown = showTurn(conversation, other)
            expect(variantsOf(shown).get(other)).toEqual(variants)
          }
        }
      }),
    )
  })

  test('shows for each version what was last seen below it', () => {
    fc.assert(
      fc.property(manySteps, fc.array(fc.nat(30), { minLength: 1, maxLength: 4 }), (taken, others) => {
        const conversation = perform(EMPTY_CONVERSATION, taken, 'm')
        for (const id of variantsOf(conversation).keys()) {
          const elsewhere = others.reduce((shown, at) => {
            const outside = allMessages(shown).filter(one => !idsOf(pathTo(shown, one.id ?? '')).includes(id))
            return showTurn(shown, outside[at % Math.max(1, outside.length)]?.id ?? '')
          }, conversation)
          const isLeft = !idsOf(elsewhere.messages).includes(id)
          if (isLeft) expect(idsOf(showTurn(elsewhere, id).messages)).toEqual(idsOf(conversation.messages))
        }
      }),
    )
  })

  test('prefers an answer to a failed one if nothing was seen below a version', () => {
    const first = addTurns(EMPTY_CONVERSATION, null, [message('first', 0), message('answer', 1)])
    const failed: Message = { ...message('failed', 2), role: 'assistant', status: 'failed' }
    const answered = addTurns(addTurns(first, 'answer', [message('more', 3)]), 'first', [failed])
    const { seen_ends: _, ...unseen } = addTurns(answered, null, [message('second', 4)])
    expect(idsOf(showTurn(unseen, 'first').messages)).toEqual(['first', 'answer', 'more'])
    const onlyFailed = removeTurn(unseen, 'answer').conversation
    expect(idsOf(showTurn(onlyFailed, 'first').messages)).toEqual(['first', 'failed'])
  })

  test('restores a removed message', () => {
    fc.assert(
      fc.property(steps, fc.nat(30), (taken, at) => {
        const conversation = perform(EMPTY_CONVERSATION, taken, 'm')
        const ids = allIds(conversation)
        const id = ids[at % Math.max(1, ids.length)]
        if (id === undefined) return
        const { conversation: left, removed } = removeTurn(conversation, id)
        expectTree(left)
        expect(findTurn(left, id)).toBeNull()
        const restored = restoreTurns(left, removed)
        expectTree(restored)
        expect(allIds(restored)).toEqual(ids)
        expect(idsOf(pathTo(restored, id))).toEqual(idsOf(pathTo(conversation, id)))
        const shownIds = idsOf(conversation.messages)
        if (shownIds.includes(id)) expect(idsOf(restored.messages)).toEqual(shownIds)
      }),
    )
  })

  test('keeps the messages after a single removed one', () => {
    fc.assert(
      fc.property(steps, fc.nat(30), (taken, at) => {
        const conversation = perform(EMPTY_CONVERSATION, taken, 'm')
        const ids = allIds(conversation)
        const id = ids[at % Math.max(1, ids.length)]
        if (id === undefined) return
        const left = removeMessages(conversation, [id])
        expectTree(left)
        expect(allIds(left)).toEqual(ids.filter(one => one !== id))
      }),
    )
  })
})

describe('two copies of a conversation', () => {
  const stamp = (conversation: Conversation, tick: number): Conversation => ({
    ...conversation,
    updated_at: new Date(Date.UTC(2026, 10, 3, 0, 0, 0, tick)).toISOString(),
  })
  const copies = fc
    .tuple(steps, steps, steps, fc.nat(1))
    .map(([before, left, right, tick]): [Conversation, Conversation] => {
      const keeps = (taken: readonly Step[]) => taken.filter(({ act }) => act !== 'remove')
      const base = perform(EMPTY_CONVERSATION, keeps(before), 'b')
      return [stamp(perform(base, keeps(left), 'l'), 0), stamp(perform(base, keeps(right), 'r'), tick)]
    })

  test('are merged without losing a branch, in either order', () => {
    fc.assert(
      fc.property(copies, ([left, right]) => {
        const merged = mergeConversation(left, right)
        expectTree(merged)
        expect(allIds(merged)).toEqual([...new Set([...allIds(left), ...allIds(right)])].sort())
        expect(mergeConversation(right, left)).toEqual(merged)
      }),
    )
  })

  test('do not change their merged result when merged again', () => {
    fc.assert(
      fc.property(copies, ([left, right]) => {
        const merged = mergeConversation(left, right)
        expect(mergeConversation(merged, left)).toEqual(merged)
        expect(mergeConversation(right, merged)).toEqual(merged)
      }),
    )
  })

  test('a new answer in one tab and a next question in the other both stay', () => {
    const base = stamp(addTurns(EMPTY_CONVERSATION, null, [message('question', 0), message('answer', 1)]), 0)
    const regenerated = stamp(addTurns(base, 'question', [message('other answer', 2)]), 1)
    const asked = stamp(addTurns(base, 'answer', [message('more', 3), message('reply', 4)]), 2)
    const merged = mergeConversation(regenerated, asked)
    expect(idsOf(merged.messages)).toEqual(['question', 'answer', 'more', 'reply'])
    expect(merged.branches).toMatchObject([{ id: 'other answer', parent: 'question' }])
    const older = mergeConversation(stamp(regenerated, 3), asked)
    expect(idsOf(older.messages)).toEqual(['question', 'other answer'])
    expect(idsOf(pathTo(older, 'reply'))).toEqual(['question', 'answer', 'more', 'reply'])
  })
})

test('messages without ids get the same ids in every tab, so that versions can be added', () => {
  const foreign: Conversation = { ...EMPTY_CONVERSATION, messages: [{ role: 'user', content: 'Hello' }] }
  const named = withMessageIds(foreign)
  expect(withMessageIds(foreign)).toEqual(named)
  const edited = addTurns(named, null, [message('edited', 1)])
  expect(idsOf(edited.messages)).toEqual(['edited'])
  expect(idsOf(edited.branches ?? [])).toEqual(['c-0'])
})

test('circular and dangling branches stay reachable', () => {
  const lost: Message[] = [
    { ...message('a', 1), parent: 'b' },
    { ...message('b', 2), parent: 'a' },
    { ...message('orphan', 3), parent: 'gone' },
  ]
  const shown = { ...EMPTY_CONVERSATION, messages: [message('shown', 0)] }
  const merged = mergeConversation({ ...shown, branches: lost }, shown)
  expectTree(merged)
  expect(allIds(merged)).toEqual(['a', 'b', 'orphan', 'shown'])
})

describe('a hundred thousand branches of an imported chat are read in time', () => {
  const COUNT = 100_000
  const shown = { ...EMPTY_CONVERSATION, messages: [message('shown', 0)] }

  test('if all of them are versions of one message', () => {
    const branches = Array.from({ length: COUNT }, (_, index) => ({
      ...message(`${index}`, 1),
      parent: null,
    }))
    const variants = endsInTime(() => variantsOf({ ...shown, branches }))
    expect(variants.get('shown')).toHaveLength(COUNT + 1)
  })

  test('if each follows the next, and the message before them is removed', () => {
    const branches = Array.from({ length: COUNT }, (_, index) => ({
      ...message(`${index}`, 1),
      parent: index === COUNT - 1 ? 'shown' : `${index + 1}`,
    }))
    const { conversation, removed } = endsInTime(() => removeTurn({ ...shown, branches }, 'shown'))
    expect(allMessages(conversation)).toHaveLength(0)
    expect(removed.messages).toHaveLength(COUNT + 1)
  })
})
