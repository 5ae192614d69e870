import { expect, jest, test } from '@jest/globals'
import pg from 'pg'
import type { Database } from '@/lib/db/database'
import { openPostgres } from '@/lib/db/open-postgres'
import { describeOnPostgres } from '@/lib/db/testing'
import type { Credential } from '../domain/accounts'
import type { Ledger } from '../domain/ledger'
import { createFundedAccount, createTestKey, hashOf, holdInput, openHold, USAGE } from '../testing'
import { checkLedger } from './check-ledger'
import { createEmbeddedLedger } from './embedded-ledger'

const SPENDER_COUNT = 8
const SPENDS_EACH = 40
const TERMINATION_COUNT = 6
const TIMEOUT_MS = 90_000

describeOnPostgres('a database whose connections end under load', (getDatabase, getUrl) => {
  test(
    'loses and repeats no transfer: every call is answered, and the books balance',
    async () => {
      const ledger = createEmbeddedLedger({ database: getDatabase() })
      const { accountId, credential } = await createFundedAccount(ledger, 1_000_000n)
      const key = await createTestKey(ledger, { accountId })
      let charged = 0n
      let done = 0
      const spender = async (number: number) => {
        for (let index = 0; index < SPENDS_EACH; index += 1) {
          const holdId = await openHold(ledger, number % 2 ? credential : key.credential, 100n, {
            idempotencyKeyHash: hashOf(`${number} ${index}`),
          })
          // After a lost connection the answer may be "already resolved": by the first attempt.
          const result = await ledger.settle({ holdId, costNano: 70n, usage: USAGE })
          if (result.outcome !== 'unknown_hold') charged += result.chargedNano
          const credited = { accountId, amountNano: 7n, source: 'gateway', memo: {} } as const
          await ledger.credit({ ...credited, reference: `credit ${number} ${index}` })
          done += 1
        }
      }
      const terminator = async () => {
        const client = new pg.Client({ connectionString: getUrl() })
        await client.connect()
        for (let count = 1; count <= TERMINATION_COUNT; count += 1) {
          // At equal parts of the work, whatever the machine’s speed.
          while (done < (count * SPENDER_COUNT * SPENDS_EACH) / (TERMINATION_COUNT + 1)) {
            await client.query('select pg_sleep(0.005)')
          }
          await client.query(
            `select pg_terminate_backend(pid) from pg_stat_activity
              where datname = current_database() and pid <> pg_backend_pid()`,
          )
        }
        await client.end()
      }
      await Promise.all([
        terminator(),
        ...Array.from({ length: SPENDER_COUNT }, (_, number) => spender(number)),
      ])

      const spendCount = BigInt(SPENDER_COUNT * SPENDS_EACH)
      expect(charged).toBe(70n * spendCount)
      expect(await ledger.getBalance({ credential })).toMatchObject({
        balanceNano: 1_000_000n - 63n * spendCount,
        heldNano: 0n,
      })
      expect((await checkLedger({ database: getDatabase() })).differences).toEqual([])
    },
    TIMEOUT_MS,
  )

  test('repeating a hold whose answer was lost finds the first one, even when it took all the credit', async () => {
    const database = getDatabase()
    const { credential } = await createFundedAccount(createEmbeddedLedger({ database }), 100n)
    const spy = loseFirstAnswer(database)
    const ledger = createEmbeddedLedger({ database })
    expect(await ledger.hold(holdInput(credential, 100n))).toMatchObject({
      outcome: 'held',
      amountNano: 100n,
    })
    expect(spy).toHaveBeenCalledTimes(2)
    spy.mockRestore()
    expect(await ledger.getBalance({ credential })).toMatchObject({ heldNano: 100n })
  })

  interface Opened {
    ledger: Ledger
    accountId: string
    credential: Credential
    holdId: string
    from: Credential
  }
  const move = { amountNano: 7n, source: 'gateway', reference: 'once', memo: {} } as const
  test.each<[string, (opened: Opened) => Promise<unknown>, { balanceNano: bigint; heldNano: bigint }]>([
    [
      'hold',
      ({ ledger, credential }) => ledger.hold(holdInput(credential, 100n)),
      { balanceNano: 1_000n, heldNano: 200n },
    ],
    [
      'settle',
      ({ ledger, holdId }) => ledger.settle({ holdId, costNano: 70n, usage: USAGE }),
      { balanceNano: 930n, heldNano: 0n },
    ],
    [
      'release',
      ({ ledger, holdId }) => ledger.release({ holdId, usage: USAGE }),
      { balanceNano: 1_000n, heldNano: 0n },
    ],
    [
      'credit',
      ({ ledger, accountId }) => ledger.credit({ accountId, ...move }),
      { balanceNano: 1_007n, heldNano: 100n },
    ],
    [
      'reverse',
      ({ ledger, accountId }) => ledger.reverse({ accountId, ...move }),
      { balanceNano: 993n, heldNano: 100n },
    ],
    [
      'merge',
      ({ ledger, credential, from }) => ledger.merge({ from, into: credential, reference: 'once' }),
      { balanceNano: 1_050n, heldNano: 100n },
    ],
  ])('%s, repeated because its answer was lost, moves the money once', async (_verb, ask, expected) => {
    const database = getDatabase()
    const ledger = createEmbeddedLedger({ database })
    const { accountId, credential } = await createFundedAccount(ledger, 1_000n)
    const { credential: from } = await createFundedAccount(ledger, 50n)
    const holdId = await openHold(ledger, credential, 100n)
    const spy = loseFirstAnswer(database)
    await ask({ ledger, accountId, credential, holdId, from })
    expect(spy).toHaveBeenCalledTimes(2)
    spy.mockRestore()
    expect(await ledger.getBalance({ credential })).toMatchObject(expected)
    expect((await checkLedger({ database })).differences).toEqual([])
  })

  test('an unreachable database is a typed error', async () => {
    const nowhere = openPostgres({ url: 'postgres://nobody@127.0.0.1:1/nothing' })
    const ledger = createEmbeddedLedger({ database: nowhere })
    const credential = { kind: 'credit_id', secretHash: hashOf('x') } as const
    const unavailable = { name: 'LedgerError', code: 'unavailable' }
    await expect(ledger.hold(holdInput(credential, 1n))).rejects.toMatchObject(unavailable)
    await expect(ledger.getBalance({ credential })).rejects.toMatchObject(unavailable)
    await nowhere.close()
  })
})

/** The answer to the next call is lost after the database has committed. */
function loseFirstAnswer(database: Database) {
  const { call } = database
  return jest.spyOn(database, 'call').mockImplementationOnce(async (...asked) => {
    await call(...asked)
    throw Object.assign(new Error('lost'), { code: 'ECONNRESET' })
  })
}
