import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { HeldAudio } from './held-audio'

const blobOf = (bytes: number) => new Blob([new Uint8Array(bytes)])

test('the least recently used sound is dropped first', () => {
  const held = new HeldAudio(10)
  held.put('a', blobOf(4))
  held.put('b', blobOf(4))
  expect(held.get('a')?.size).toBe(4)
  held.put('c', blobOf(4))
  expect([held.has('a'), held.has('b'), held.has('c')]).toEqual([true, false, true])
})

test('a sound larger than the limit is not held', () => {
  const held = new HeldAudio(10)
  held.put('a', blobOf(11))
  expect(held.get('a')).toBeNull()
  held.put('b', blobOf(10))
  expect(held.has('b')).toBe(true)
})

test('the limit is never exceeded, and the newest sound is held if it fits', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.integer({ min: 1, max: 12 }))),
      puts => {
        const held = new HeldAudio(10)
        for (const [key, bytes] of puts) {
          held.put(key, blobOf(bytes))
          const sizes = ['a', 'b', 'c', 'd'].map(one => held.get(one)?.size ?? 0)
          expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(10)
          expect(held.has(key)).toBe(bytes <= 10)
        }
      },
    ),
  )
})
