import { createHash, randomUUID } from 'node:crypto'

/** Numbers that a seed repeats: a run that failed can be run again. */
export function randomNumbers(givenSeed: string | undefined): {
  seed: string
  /** Whole numbers from 0, evenly. */
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
