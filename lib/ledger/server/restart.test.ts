import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { sql } from 'kysely'
import type { Database } from '@/lib/db/database'
import { openDatabaseAt } from '@/lib/db/open-database'
import { startPrivatePostgres } from '@/test/support/private-postgres'
import { createProgress } from '@/test/support/progress'
import type { Credential } from '../domain/accounts'
import type { Ledger } from '../domain/ledger'
import { LedgerError } from '../domain/ledger-error'
import { createFundedAccount, createTestKey, hashOf, holdInput, USAGE } from '../testing'
import { checkLedger } from './check-ledger'
import { createEmbeddedLedger } from './embedded-ledger'

const SPENDER_COUNT = 8
const SPENDS_EACH = 60
const RESTART_COUNT = 3
/** Recovery sometimes outlasts the ledger’s own retries, but never this many. */
const ATTEMPT_COUNT_MAX = 40
const START_TIMEOUT_MS = 60_000
const TIMEOUT_MS = 120_000

describe('a database that is killed and started again under load', () => {
  let postgres: Awaited<ReturnType<typeof startPrivatePostgres>>
  let database: Database
  beforeAll(async () => {
    postgres = await startPrivatePostgres()
    database = await openDatabaseAt(postgres.url)
  }, START_TIMEOUT_MS)
  afterAll(async () => {
    await database.close()
    await postgres.stop()
  }, START_TIMEOUT_MS)

  test(
    'loses no confirmed hold, ends none twice, and the books balance',
    async () => {
      const ledger = createEmbeddedLedger({ database })
      const { accountId, credential } = await createFundedAccount(ledger, 10_000_000n)
      const key = await createTestKey(ledger, { accountId })
      const progress = createProgress()
      const toldHoldIds: string[] = []

      const spender = async (number: number) => {
        for (let index = 0; index < SPENDS_EACH; index += 1) {
          const name = `${number} ${index}`
          const holdId = await hold(ledger, number % 2 ? credential : key.credential, name)
          // The upstream would be called here, so the hold has to survive from now on.
          toldHoldIds.push(holdId)
          const settled = await untilAnswered(() => ledger.settle({ holdId, costNano: 70n, usage: USAGE }))
          expect(settled).toMatchObject({ chargedNano: 70n })
          const reference = `credit ${name}`
          await untilAnswered(() =>
            ledger.credit({ accountId, amountNano: 7n, source: 'gateway', reference, memo: {} }),
          )
          progress.step()
        }
      }
      const restarter = async () => {
        for (let count = 1; count <= RESTART_COUNT; count += 1) {
          await progress.reached(Math.floor((count * SPENDER_COUNT * SPENDS_EACH) / (RESTART_COUNT + 1)))
          await postgres.restartImmediately()
        }
      }
      await Promise.all([
        restarter(),
        ...Array.from({ length: SPENDER_COUNT }, (_, number) => spender(number)),
      ])

      const holds = await database.kysely.selectFrom('hold').select(['id', 'state']).execute()
      expect(holds.map(({ id }) => id).sort()).toEqual([...new Set(toldHoldIds)].sort())
      expect(holds.filter(({ state }) => state !== 'settled')).toEqual([])
      const spendCount = BigInt(SPENDER_COUNT * SPENDS_EACH)
      expect(BigInt(holds.length)).toBe(spendCount)
      expect(await ledger.getBalance({ credential })).toMatchObject({
        balanceNano: 10_000_000n - 63n * spendCount,
        heldNano: 0n,
      })
      expect((await checkLedger({ database })).differences).toEqual([])
    },
    TIMEOUT_MS,
  )

  test(
    'leaves holds that nobody ends to the sweeper',
    async () => {
      const ledger = createEmbeddedLedger({ database })
      const { credential } = await createFundedAccount(ledger, 1_000_000n)
      const progress = createProgress()
      const asker = async () => {
        for (let index = 0; index < SPENDS_EACH; index += 1) {
          // Without an idempotency key there is no retry, and the answer may be lost with its connection.
          await ledger.hold(holdInput(credential, 100n)).catch(onlyUnavailable)
          progress.step()
        }
      }
      const restarter = async () => {
        await progress.reached((SPENDER_COUNT * SPENDS_EACH) / 2)
        await postgres.restartImmediately()
      }
      await Promise.all([restarter(), ...Array.from({ length: SPENDER_COUNT }, asker)])
      const { rows } = await sql`
        update hold set expires_at = now() - interval '1 second' where state = 'open' returning id`.execute(
        database.kysely,
      )
      const { releasedHoldIds } = await ledger.sweep({ holdCountMax: 10_000 })
      expect(releasedHoldIds).toHaveLength(rows.length)
      expect(await ledger.getBalance({ credential })).toMatchObject({ balanceNano: 1_000_000n, heldNano: 0n })
      expect((await checkLedger({ database })).differences).toEqual([])
    },
    TIMEOUT_MS,
  )
})

/** Places the hold of this name; repeated after an outage, it finds the first one. */
async function hold(ledger: Ledger, credential: Credential, name: string): Promise<string> {
  const input = holdInput(credential, 100n, { idempotencyKeyHash: hashOf(name), requestHash: hashOf(name) })
  const result = await untilAnswered(() => ledger.hold(input))
  if (result.outcome === 'held') return result.holdId
  expect(result).toMatchObject({ outcome: 'duplicate', sameRequest: true, state: 'open' })
  if (result.outcome === 'duplicate') return result.holdId
  throw new Error(`The hold was refused: ${result.outcome}`)
}

async function untilAnswered<Result>(ask: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; attempt < ATTEMPT_COUNT_MAX; attempt += 1) {
    try {
      return await ask()
    } catch (error) {
      onlyUnavailable(error)
    }
  }
  return ask()
}

function onlyUnavailable(error: unknown): void {
  if (!(error instanceof LedgerError) || error.code !== 'unavailable') throw error
}
