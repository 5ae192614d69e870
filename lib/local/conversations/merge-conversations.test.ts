import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { Conversation } from '../domain/conversation'
import { mergeConversation, mergeConversations } from './merge-conversations'

const conversation: fc.Arbitrary<Conversation> = fc
  .record({
    id: fc.constantFrom('a', 'b', 'c'),
    tick: fc.nat(3),
    texts: fc.array(fc.constantFrom('x', 'y'), { maxLength: 2 }),
    steered: fc.option(fc.tuple(fc.nat(3), fc.constantFrom('s', 't', undefined)), { nil: undefined }),
  })
  .map(({ id, tick, texts, steered }) => ({
    id,
    ...(steered && {
      steering_updated_at: `t${steered[0]}`,
      system_prompt: steered[1],
      temperature: steered[0] / 2,
    }),
    created_at: '2026-11-01T00:00:00.000Z',
    updated_at: new Date(Date.UTC(2026, 10, 2, 0, 0, 0, tick)).toISOString(),
    messages: texts.map(content => ({ role: 'user', content })),
  }))

const sources = fc.array(fc.array(conversation, { maxLength: 4 }), { maxLength: 4 })
const removals = fc
  .array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(3)))
  .map(entries => new Map(entries.map(([id, tick]) => [id, Date.UTC(2026, 10, 2, 0, 0, 0, tick)])))

const asRecord = (merged: Map<string, Conversation>) => Object.fromEntries(merged)

test('merging does not depend on the order of the copies', () => {
  fc.assert(
    fc.property(sources, removals, (copies, removed) => {
      const forward = mergeConversations(copies, removed)
      const backward = mergeConversations(copies.toReversed(), removed)
      expect(asRecord(backward)).toEqual(asRecord(forward))
    }),
  )
})

test('merging again changes nothing', () => {
  fc.assert(
    fc.property(sources, removals, (copies, removed) => {
      const merged = mergeConversations(copies, removed)
      expect(asRecord(mergeConversations([[...merged.values()], ...copies], removed))).toEqual(
        asRecord(merged),
      )
    }),
  )
})

test('no conversation is dropped that was not removed, and none is older than any copy of it', () => {
  fc.assert(
    fc.property(sources, copies => {
      const merged = mergeConversations(copies, new Map())
      for (const copy of copies.flat()) {
        const kept = merged.get(copy.id)
        expect(kept && mergeConversation(kept, copy)).toEqual(kept)
      }
    }),
  )
})

test('a conversation that changed after its removal is kept', () => {
  const written = { id: 'a', created_at: '2026-11-01', updated_at: '2026-11-02T00:00:00.002Z', messages: [] }
  const removedAt = (time: string) => mergeConversations([[written]], new Map([['a', Date.parse(time)]]))
  expect(removedAt('2026-11-02T00:00:00.001Z').size).toBe(1)
  expect(removedAt('2026-11-02T00:00:00.002Z').size).toBe(0)
})

test('the latest chat instructions win as a whole, whichever copy was written last', () => {
  const copy = (fields: Partial<Conversation>): Conversation => ({
    id: 'a',
    created_at: '2026-11-01T00:00:00.000Z',
    messages: [],
    ...fields,
  })
  const steered = copy({
    updated_at: '2026-11-02T00:00:00.001Z',
    steering_updated_at: '2026-11-02T00:00:00.001Z',
    temperature: 0.5,
  })
  const written = copy({
    updated_at: '2026-11-02T00:00:00.002Z',
    steering_updated_at: '2026-11-02T00:00:00.000Z',
    system_prompt: 'Old.',
    title: 'New title',
    title_updated_at: '2026-11-02T00:00:00.002Z',
  })
  const expected = { ...written, ...steered, updated_at: written.updated_at, system_prompt: undefined }
  expect(mergeConversation(written, steered)).toEqual(expected)
  expect(mergeConversation(steered, written)).toEqual(expected)
})
