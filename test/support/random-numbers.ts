import { createHash, randomUUID } from 'node:crypto'

/** Random numbers from a seed, so that a failed run can be repeated. */
export function randomNumbers(givenSeed: string | undefined): {
  seed: string
  /** Uniformly distributed whole numbers from 0. */
  nextBelow: (limit: number) => number
} {
  const seed = givenSeed ?? randomUUID()
  let drawn = 0
  return {
    seed,
    nextBelow(limit) {
      drawn += 1
      return createHash('sha256').update(`${seed}:${drawn}`).digest().readUInt32BE() % limit
    },
  }
}
