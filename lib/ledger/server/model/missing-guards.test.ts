import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { Database } from '@/lib/db/database'
import { describeOnPostgres } from '@/lib/db/testing'
import { installWithout } from './install-without'
import { MISSING_GUARDS, type MissingGuard } from './missing-guards'
import {
  WITHOUT_GROUP_LOCKS,
  WITHOUT_HOLD_LOCK,
  WITHOUT_MERGE_LOCKS,
  WITHOUT_SECOND_LOOK,
} from './missing-locks'
import { ledgerProperty } from './property'
import { stepHolds, stepMergeAndRefund, stepMerges, stepRefund } from './stepped-races'

/** Each guard is missed well within these runs; the fixed seed makes it deterministic. */
const RUN_COUNT_MAX = 200
const SEED = 20_260_712
const TIMEOUT_MS = 180_000
/** Steps that a busy machine reordered are repeated. */
const ROUND_COUNT_MAX = 200

async function isMissed(
  getDatabase: () => Database,
  guard: MissingGuard,
  runCountMax = RUN_COUNT_MAX,
): Promise<boolean> {
  await installWithout(getDatabase(), guard)
  const details = await fc.check(ledgerProperty(getDatabase), {
    numRuns: runCountMax,
    seed: SEED,
    path: String(guard.missedInRun ?? 0),
    endOnFailure: true,
  })
  return details.failed
}

describeOnPostgres('the model test detects a ledger without', getDatabase => {
  test.each(MISSING_GUARDS)(
    '$without',
    async guard => {
      expect(await isMissed(getDatabase, guard)).toBe(true)
    },
    TIMEOUT_MS,
  )

  test(
    'nothing: the ledger with every guard in place passes',
    async () => {
      expect(await isMissed(getDatabase, { without: 'nothing', replacements: [] }, 10)).toBe(false)
    },
    TIMEOUT_MS,
  )
})

/** Locks matter only among truly parallel callers, and a seed determines no race, so the callers run step by step. */
describeOnPostgres(
  'two servers at the lock of one account overdraw a ledger without',
  (getDatabase, getUrl) => {
    const arenaWithout = async (lock: MissingGuard) => {
      await installWithout(getDatabase(), lock)
      return { database: getDatabase(), url: getUrl() }
    }

    test.each(['credit_id', 'api_key'] as const)(`${WITHOUT_HOLD_LOCK.without} (by %s)`, async kind => {
      const after = await stepHolds(await arenaWithout(WITHOUT_HOLD_LOCK), kind)
      expect(after).toMatchObject({ balanceNano: 100n, heldNano: 200n })
    })

    test(`${WITHOUT_MERGE_LOCKS.without}`, async () => {
      const after = await stepMerges(await arenaWithout(WITHOUT_MERGE_LOCKS))
      expect(after).toMatchObject({ from: { balanceNano: -100n }, into: { balanceNano: 200n } })
    })

    test(`${WITHOUT_GROUP_LOCKS.without}`, async () => {
      const after = await stepRefund(await arenaWithout(WITHOUT_GROUP_LOCKS))
      expect(after).toMatchObject({ into: { balanceNano: 100n }, debtNano: 100n })
    })

    test(`${WITHOUT_SECOND_LOOK.without}`, async () => {
      const arena = await arenaWithout(WITHOUT_SECOND_LOOK)
      let after = await stepMergeAndRefund(arena)
      // On a busy machine the refund may wake before the payment, which then pays the debt; then repeat.
      for (let round = 1; round < ROUND_COUNT_MAX && after.debtNano === 0n; round += 1)
        after = await stepMergeAndRefund(arena)
      expect(after).toMatchObject({ into: { balanceNano: 100n }, debtNano: 100n })
    })
  },
)
