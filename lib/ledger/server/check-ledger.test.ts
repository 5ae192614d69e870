import { beforeAll, beforeEach, expect, jest, test } from '@jest/globals'
import { CompiledQuery } from 'kysely'
import pg from 'pg'
import { describeOnPostgres } from '@/lib/db/testing'
import type { Ledger } from '../domain/ledger'
import { createFundedAccount, createTestKey, openHold, USAGE } from '../testing'
import { checkLedger } from './check-ledger'
import { createEmbeddedLedger } from './embedded-ledger'
import { formatLedgerReport, isBalanced } from './format-ledger-report'

describeOnPostgres('ledger:check', (getDatabase, getUrl) => {
  let ledger: Ledger
  let account: Awaited<ReturnType<typeof createFundedAccount>>
  let keyId: string
  let settledHoldId: string

  const run = (statement: string) => getDatabase().kysely.executeQuery(CompiledQuery.raw(statement))
  /** Bypasses triggers and checks, like an attacker or a mistake with full access. */
  const corrupt = async (statement: string) => {
    await run('alter table transfer disable trigger user')
    await run(statement)
    await run('alter table transfer enable trigger user')
  }

  beforeAll(() => {
    ledger = createEmbeddedLedger({ database: getDatabase() })
  })
  beforeEach(async () => {
    await corrupt('delete from transfer')
    await run('delete from hold')
    await run('delete from api_key')
    await run('delete from leaving')
    await run(`delete from account where kind = 'credit'`)
    account = await createFundedAccount(ledger, 1_000n)
    const key = await createTestKey(ledger, { accountId: account.accountId, usageLimitNano: 500n })
    keyId = key.keyId
    settledHoldId = await openHold(ledger, key.credential, 100n)
    await ledger.settle({ holdId: settledHoldId, costNano: 1_500n, usage: USAGE })
    await openHold(ledger, key.credential, 0n)
    await openHold(ledger, account.credential, 50n)
    const released = await openHold(ledger, account.credential, 60n)
    await ledger.release({ holdId: released, usage: USAGE })
  })

  test('needs no more shared memory than a container has, however many rows there are', async () => {
    const asked = jest.spyOn(pg.Client.prototype, 'query')
    await checkLedger({ database: getDatabase() })
    const statements = asked.mock.calls.map(([text, values]) => ({ text: String(text), values }))
    asked.mockRestore()
    // As for tables that are worth several workers.
    const cheap = ['min_parallel_table_scan_size', 'parallel_setup_cost', 'parallel_tuple_cost']
    const url = new URL(getUrl())
    url.searchParams.set('options', cheap.map(setting => `-c ${setting}=0`).join(' '))
    const client = new pg.Client({ connectionString: url.href })
    await client.connect()
    const plans: string[] = []
    for (const { text, values } of statements) {
      if (!/^\s*select/.test(text)) await client.query(text)
      else {
        const { rows } = await client.query(`explain ${text}`, values as unknown[])
        plans.push(...rows.map(row => row['QUERY PLAN']))
      }
    }
    await client.end()
    expect(plans.length).toBeGreaterThan(0)
    expect(plans.filter(line => line.includes('Parallel Hash '))).toEqual([])
  })

  test('finds no difference in a ledger that was only changed by its verbs, and all balances sum to zero', async () => {
    const report = await checkLedger({ database: getDatabase() })
    expect(report).toEqual({
      differences: [],
      creditNano: 900n,
      debtNano: 0n,
      systemBalancesNano: {
        gateway: -1_000n,
        promotion: 0n,
        operator: 0n,
        revenue: 1_500n,
        operator_loss: -1_400n,
      },
    })
    expect(isBalanced(report)).toBe(true)
    expect(formatLedgerReport(report)).toContain('The books balance.')
  })

  test.each([
    ['a raised balance', 'update account set balance_nano = balance_nano + 1 where kind = $credit'],
    [
      'a debt without a cause',
      'update account set balance_nano = held_nano, debt_nano = balance_nano - held_nano + 1 where kind = $credit',
    ],
    ['a merged amount without a merge', 'update account set merged_nano = 7 where kind = $credit'],
    ['a risk without a hold', 'update account set risk_nano = 7 where kind = $credit'],
    ['a loss without a call', 'update account set lost_nano = 7 where kind = $credit'],
    ['a deleted charge', `delete from transfer where kind = 'charge'`],
    ['a lowered charge', `update transfer set amount_nano = 1 where kind = 'charge'`],
    ['a deleted loss', `delete from transfer where kind = 'loss'`],
    [
      'a transfer from an unknown account',
      `update transfer set debit_account_id = gen_random_uuid() where kind = 'credit'`,
    ],
    ['a credit relabeled as a merge', `update transfer set kind = 'merge' where kind = 'credit'`],
    ['a deleted open hold', `delete from hold where state = 'open' and amount_nano > 0`],
    ['a lowered held amount', 'update account set held_nano = held_nano - 1 where kind = $credit'],
    [
      'a settled hold that was reopened',
      `update hold set state = 'open', charged_nano = null, loss_nano = null, usage = null, resolved_at = null
        where state = 'settled'`,
    ],
    [
      'a charge to another account',
      `update transfer set debit_account_id = gen_random_uuid() where kind = 'charge'`,
    ],
    ['a lowered sum of an account’s charges', 'update account set charged_nano = 0'],
    ['a raised sum of a key’s charges', 'update api_key set charged_nano = charged_nano + 1'],
    ['a reset usage of a key', 'update api_key set usage_nano = 0'],
    ['a held amount of a key without a hold', 'update api_key set held_nano = held_nano + 1'],
    ['a hold of nobody', `update hold set account_id = gen_random_uuid() where state = 'released'`],
  ])('finds %s', async (_name, statement) => {
    await corrupt(statement.replace('$credit', `'credit'`))
    const report = await checkLedger({ database: getDatabase() })
    expect(isBalanced(report)).toBe(false)
    expect(report.differences).not.toEqual([])
    expect(formatLedgerReport(report)).toContain('THE BOOKS DO NOT BALANCE.')
  })

  test('reports the subject and amount of each difference', async () => {
    await corrupt(`update api_key set usage_nano = 7 where id = '${keyId}'`)
    const { differences } = await checkLedger({ database: getDatabase() })
    expect(differences).toEqual([
      {
        invariant: "a key's usage is what was charged in its period",
        subject: keyId,
        expectedNano: 100n,
        actualNano: 7n,
      },
    ])
  })

  test('transfers are append-only: the database refuses to change or delete one', async () => {
    await expect(run('update transfer set amount_nano = 1')).rejects.toThrow('append-only')
    await expect(run('delete from transfer')).rejects.toThrow('append-only')
    await expect(run('truncate transfer')).rejects.toThrow('append-only')
    // Pruning, which has added them up, may delete some.
    const pruning = `select set_config('ledger.pruning', 'on', true)`
    await expect(run(`${pruning}; update transfer set amount_nano = 1`)).rejects.toThrow('append-only')
    expect(settledHoldId).toEqual(expect.any(String))
  })
})
