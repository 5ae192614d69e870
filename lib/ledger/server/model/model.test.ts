import { test } from '@jest/globals'
import fc from 'fast-check'
import { describeOnPostgres } from '@/lib/db/testing'
import { ledgerProperty } from './property'

/** `LEDGER_MODEL_RUNS=1000` runs longer. */
const RUN_COUNT = Number(process.env.LEDGER_MODEL_RUNS ?? '20')
/** A bound for what hangs: on a busy machine a run took ten seconds. */
const RUN_SECONDS_MAX = 30

describeOnPostgres('the ledger against its model', getDatabase => {
  test(
    'conserves money, keeps balances equal to sums of transfers, is never negative and resolves no hold twice',
    () => fc.assert(ledgerProperty(getDatabase), { numRuns: RUN_COUNT }),
    RUN_COUNT * RUN_SECONDS_MAX * 1_000,
  )
})
