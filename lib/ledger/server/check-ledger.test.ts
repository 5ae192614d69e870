import { beforeAll, beforeEach, expect, test } from '@jest/globals'
import { CompiledQuery } from 'kysely'
import { describeOnPostgres } from '@/lib/db/testing'
import type { Ledger } from '../domain/ledger'
import { createFundedAccount, createTestKey, openHold, USAGE } from '../testing'
import { checkLedger } from './check-ledger'
import { createEmbeddedLedger } from './embedded-ledger'
import { formatLedgerReport, isBalanced } from './format-ledger-report'

describeOnPostgres('ledger:check', getDatabase => {
  let ledger: Ledger
  let account: Awaited<ReturnType<typeof createFundedAccount>>
  let keyId: string
  let settledHoldId: string

  const run = (statement: string) => getDatabase().kysely.executeQuery(CompiledQuery.raw(statement))
  /** As an attacker or a mistake with full access would: past triggers and checks. */
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

  test('finds nothing in a ledger that was only used through its verbs, and all balances sum to zero', async () => {
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
    ['a balance that was raised', 'update account set balance_nano = balance_nano + 1 where kind = $credit'],
    [
      'a debt that nothing explains',
      'update account set balance_nano = held_nano, debt_nano = balance_nano - held_nano + 1 where kind = $credit',
    ],
    ['a merge that never was', 'update account set merged_nano = 7 where kind = $credit'],
    ['a risk that no hold took', 'update account set risk_nano = 7 where kind = $credit'],
    ['a loss that no call came to', 'update account set lost_nano = 7 where kind = $credit'],
    ['a charge that was forgotten', `delete from transfer where kind = 'charge'`],
    ['a charge that was lowered', `update transfer set amount_nano = 1 where kind = 'charge'`],
    ['a loss that was forgotten', `delete from transfer where kind = 'loss'`],
    [
      'a transfer from nowhere',
      `update transfer set debit_account_id = gen_random_uuid() where kind = 'credit'`,
    ],
    ['a credit that calls itself a merge', `update transfer set kind = 'merge' where kind = 'credit'`],
    ['a hold that was forgotten', `delete from hold where state = 'open' and amount_nano > 0`],
    ['a held amount that was lowered', 'update account set held_nano = held_nano - 1 where kind = $credit'],
    [
      'a settled hold opened again',
      `update hold set state = 'open', charged_nano = null, loss_nano = null, usage = null, resolved_at = null
        where state = 'settled'`,
    ],
    [
      'a charge that another paid',
      `update transfer set debit_account_id = gen_random_uuid() where kind = 'charge'`,
    ],
    ['a sum of charges that was lowered', 'update account set charged_nano = 0'],
    ['a sum of charges of a key that was raised', 'update api_key set charged_nano = charged_nano + 1'],
    ['a usage that was reset', 'update api_key set usage_nano = 0'],
    ['a key that holds what nobody asked for', 'update api_key set held_nano = held_nano + 1'],
    ['a hold of nobody', `update hold set account_id = gen_random_uuid() where state = 'released'`],
  ])('finds %s', async (_name, statement) => {
    await corrupt(statement.replace('$credit', `'credit'`))
    const report = await checkLedger({ database: getDatabase() })
    expect(isBalanced(report)).toBe(false)
    expect(report.differences).not.toEqual([])
    expect(formatLedgerReport(report)).toContain('THE BOOKS DO NOT BALANCE.')
  })

  test('names what differs, and by how much', async () => {
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
    expect(settledHoldId).toEqual(expect.any(String))
  })
})
