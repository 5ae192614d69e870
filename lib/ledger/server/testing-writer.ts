import { openDatabase } from '@/lib/db/open-database'
import { createFundedAccount, openHold, USAGE } from '../testing'
import { createEmbeddedLedger } from './embedded-ledger'

/**
 * A program for kill.test.ts: spends without end on the embedded database in the given directory, and
 * prints the id of each hold that it was told to be settled.
 */
const [dataDirectory = ''] = process.argv.slice(2)
const PARALLEL_COUNT = 4

const database = await openDatabase({ url: null, directUrl: null, dataDirectory })
const ledger = createEmbeddedLedger({ database })
const { credential } = await createFundedAccount(ledger, 1_000_000_000_000n)

async function spend(): Promise<never> {
  for (;;) {
    const holdId = await openHold(ledger, credential, 100n)
    const { outcome } = await ledger.settle({ holdId, costNano: 70n, usage: USAGE })
    process.stdout.write(`${outcome} ${holdId}\n`)
  }
}
await Promise.all(Array.from({ length: PARALLEL_COUNT }, spend))
