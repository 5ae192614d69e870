import { test } from '@jest/globals'
import fc from 'fast-check'
import { describeOnPostgres } from '@/lib/db/testing'
import { ledgerProperty } from './property'

/** `LEDGER_MODEL_RUNS=1000` looks longer. */
const RUN_COUNT = Number(process.env.LEDGER_MODEL_RUNS ?? '20')
const RUN_SECONDS_MAX = 10

describeOnPostgres('the ledger against its model', getDatabase => {
  test(
    'money is conserved, balances are the sums of transfers, nothing is negative, nothing resolved twice',
    () => fc.assert(ledgerProperty(getDatabase), { numRuns: RUN_COUNT }),
    RUN_COUNT * RUN_SECONDS_MAX * 1_000,
  )
})
