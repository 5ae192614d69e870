import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { GROUP_TURN_COUNT, type ShownTurn } from './shown-turns'
import { type Shown, shownGroups, shownNext, shownStep } from './use-shown-range'

const turns = Array.from({ length: 200 }, (_, index) => ({ key: `${index}` }) as ShownTurn)

/** The given number of turns, in groups. */
const groupsOf = (count: number): ShownTurn[][] =>
  Array.from({ length: Math.ceil(count / GROUP_TURN_COUNT) }, (_, index) =>
    turns.slice(index * GROUP_TURN_COUNT, Math.min(count, (index + 1) * GROUP_TURN_COUNT)),
  )

const onPage = (shown: Shown) => [...shownGroups(shown), ...shown.left]
const turnCount = (groups: readonly { turns: readonly unknown[] }[]) =>
  groups.reduce((sum, group) => sum + group.turns.length, 0)

const start = fc
  .record({ count: fc.integer({ min: 1, max: 200 }), from: fc.nat({ max: 200 }), size: fc.nat({ max: 200 }) })
  .map(({ count, from, size }): Shown => {
    const first = Math.min(from, count - 1)
    return { groups: groupsOf(count), from: first, until: first + 1 + size, left: [] }
  })
/** Each entry sets the number of turns; null takes a further step. */
const changes = fc.array(fc.option(fc.nat({ max: 200 })), { maxLength: 12 })

const follow = (shown: Shown, changed: (number | null)[]) =>
  changed.reduce<Shown>(
    (known, count) => (count === null ? shownStep(known) : shownNext(known, groupsOf(count))),
    shown,
  )

test('no turn is rendered twice, and the rendered turns are contiguous', () => {
  fc.assert(
    fc.property(start, changes, (first, changed) => {
      const shown = follow(first, changed)
      const indexes = onPage(shown).map(({ startIndex }) => startIndex)
      expect(indexes).toEqual([...new Set(indexes)].sort((left, right) => left - right))
      const keys = shownGroups(shown).flatMap(group => group.turns.map(({ key }) => Number(key)))
      expect(keys).toEqual(keys.map((_, index) => (keys[0] ?? 0) + index))
    }),
  )
})

test('rendering ends with all turns and nothing else, in small steps', () => {
  fc.assert(
    fc.property(start, changes, (first, changed) => {
      let shown = follow(first, changed)
      const all = shown.groups.flat()
      for (let step = 0; step < 100; step += 1) {
        const next = shownStep(shown)
        const [before, after] = [turnCount(onPage(shown)), turnCount(onPage(next))]
        expect(after - before).toBeLessThanOrEqual(3 * GROUP_TURN_COUNT)
        expect(before - after).toBeLessThanOrEqual(4 * GROUP_TURN_COUNT)
        shown = next
      }
      expect(shown.left).toEqual([])
      expect(shownGroups(shown).flatMap(group => group.turns)).toEqual(all)
    }),
  )
})

test('many restored turns are rendered step by step, starting where they were deleted', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 9, max: 99 }), (kept, deleted) => {
      const whole = groupsOf(kept + deleted)
      const all: Shown = { groups: whole, from: 0, until: Number.POSITIVE_INFINITY, left: [] }
      const without = shownNext(all, groupsOf(kept))
      expect(turnCount(shownGroups(without))).toBe(kept)
      const back = shownNext({ ...without, left: [] }, whole)
      const drawn = turnCount(shownGroups(back))
      expect(drawn).toBeGreaterThan(kept)
      expect(drawn).toBeLessThanOrEqual(kept + 8)
    }),
  )
})
