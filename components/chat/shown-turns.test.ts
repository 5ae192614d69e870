import { expect, test } from '@jest/globals'
import type { Conversation, Message } from '@/lib/local/domain/conversation'
import { GROUP_TURN_COUNT, shownTurns } from './shown-turns'

const messages = Array.from(
  { length: 5 * GROUP_TURN_COUNT },
  (_, index): Message => ({
    id: `m${index}`,
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `Message ${index}`,
  }),
)
const other: Message = { id: 'other', parent: 'm0', role: 'assistant', content: 'Another answer.' }
const conversation: Conversation = {
  id: 'c',
  created_at: '2026-11-22T00:00:00.000Z',
  messages,
  branches: [other],
}

/** The indices of groups in the second conversation that are not the same objects as in the first. */
function changedGroups(before: Conversation, after: Conversation): number[] {
  const known = shownTurns(before, [])
  return shownTurns(after, []).flatMap((group, index) => (group === known[index] ? [] : [index]))
}

test('every turn is in a group, in order', () => {
  const turns = shownTurns(conversation, []).flat()
  expect(turns.map(({ message }) => message)).toEqual(messages)
  expect(turns.map(({ startIndex }) => startIndex)).toEqual(messages.map((_, index) => index))
})

test('a conversation that is saved again unchanged re-renders no group', () => {
  const copy = { ...conversation, messages: [...messages], branches: [other], updated_at: '2026-11-22' }
  expect(shownTurns(conversation, [])[0]?.[1]?.versions).toEqual(['m1', 'other'])
  expect(changedGroups(conversation, copy)).toEqual([])
})

test.each([
  ['a message behind all others', [...messages, { role: 'user', content: 'And?' } satisfies Message], [5]],
  ['another text in the middle', messages.with(13, { ...messages.at(13), content: 'No.' } as Message), [2]],
])('%s re-renders only its own group', (_, changed, groups) => {
  expect(changedGroups(conversation, { ...conversation, messages: changed })).toEqual(groups)
})

test('a continued answer is one turn, and names all models that wrote it', () => {
  const more: Message = { role: 'assistant', content: ' And more.', continues: true, model: 'two' }
  const whole = [...messages.slice(0, 1), { ...messages[1], model: 'one' } as Message, more]
  const [group] = shownTurns({ ...conversation, messages: whole, branches: [] }, [])
  expect(group?.map(({ parts, modelName }) => [parts?.length, modelName])).toEqual([
    [undefined, null],
    [2, 'one, two'],
  ])
})
