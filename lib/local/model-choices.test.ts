import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  FAVOURITE_COUNT_MAX,
  noteRecent,
  parseModelChoices,
  RECENT_COUNT_MAX,
  toggleFavourite,
} from './model-choices'

const id = fc.constantFrom(...Array.from({ length: 70 }, (_, index) => `maker/${index}`))

test('any stored value is read as a bounded list without duplicates', () => {
  const ids = fc.array(fc.oneof(id, fc.anything(), fc.string({ maxLength: 400 })), { maxLength: 90 })
  const stored = fc.oneof(fc.anything(), fc.record({ favouriteIds: ids, recentIds: ids }))
  fc.assert(
    fc.property(stored, value => {
      let text: string | undefined
      try {
        text = JSON.stringify(value)
      } catch {
        text = '{"favour'
      }
      const { favouriteIds, recentIds } = parseModelChoices(text ?? null)
      expect(favouriteIds.length).toBeLessThanOrEqual(FAVOURITE_COUNT_MAX)
      expect(recentIds.length).toBeLessThanOrEqual(RECENT_COUNT_MAX)
      for (const list of [favouriteIds, recentIds]) {
        expect(new Set(list).size).toBe(list.length)
        expect(list.every(one => one !== '' && one.length <= 256)).toBe(true)
      }
    }),
  )
})

test('stars can be set and removed, the newest choice is first, and both are stored', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), id), { maxLength: 100 }), steps => {
      const favourites = new Set<string>()
      let choices = parseModelChoices(null)
      for (const [isStar, modelId] of steps) {
        const change = isStar ? toggleFavourite : noteRecent
        choices = parseModelChoices(JSON.stringify(change(choices, modelId)))
        if (!isStar) {
          expect(choices.recentIds[0]).toBe(modelId)
          continue
        }
        if (!favourites.delete(modelId)) favourites.add(modelId)
        expect(choices.favouriteIds.includes(modelId)).toBe(favourites.has(modelId))
        for (const one of favourites) if (!choices.favouriteIds.includes(one)) favourites.delete(one)
      }
    }),
  )
})
