import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { Database } from '@/lib/db/database'
import { describeOnEmbedded, describeOnPostgres } from '@/lib/db/testing'
import { installMutant } from './install-mutant'
import { CONCURRENCY_MUTANTS, MUTANTS, type Mutant } from './mutants'
import { ledgerProperty } from './property'

/** Each mutant is found well within these; a fixed seed makes that certain. */
const RUN_COUNT_MAX = 100
/** A seed fixes what is asked, not who wins a race. */
const RACE_RUN_COUNT_MAX = 400
const SEED = 20_260_712
const TIMEOUT_MS = 180_000

async function findsMutant(
  getDatabase: () => Database,
  mutant: Mutant,
  runCountMax = RUN_COUNT_MAX,
): Promise<boolean> {
  await installMutant(getDatabase(), mutant)
  const details = await fc.check(ledgerProperty(getDatabase), {
    numRuns: runCountMax,
    seed: SEED,
    endOnFailure: true,
  })
  return details.failed
}

describeOnEmbedded('the model test finds a ledger without', getDatabase => {
  test.each(MUTANTS)(
    '$without',
    async mutant => {
      expect(await findsMutant(getDatabase, mutant)).toBe(true)
    },
    TIMEOUT_MS,
  )

  test(
    'nothing: the ledger with every guard in place passes',
    async () => {
      expect(await findsMutant(getDatabase, { without: 'nothing', replacements: [] }, 10)).toBe(false)
    },
    TIMEOUT_MS,
  )
})

describeOnPostgres('the model test finds, among parallel callers, a ledger without', getDatabase => {
  test.each(CONCURRENCY_MUTANTS)(
    '$without',
    async mutant => {
      expect(await findsMutant(getDatabase, mutant, RACE_RUN_COUNT_MAX)).toBe(true)
    },
    TIMEOUT_MS,
  )
})
