import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import { describeOnPostgres } from '@/lib/db/testing'
import { NANO_MAX } from '@/lib/money/nano'
import type { CreditInput } from '../domain/credits'
import type { Ledger } from '../domain/ledger'
import { createFundedAccount } from '../testing'
import { checkLedger } from './check-ledger'
import { createEmbeddedLedger } from './embedded-ledger'

const DELIVERY_COUNT = 50

describeOnPostgres('credit and reversal', getDatabase => {
  let ledgers: Ledger[]
  let ledger: Ledger
  beforeAll(() => {
    ledgers = Array.from({ length: 5 }, () => createEmbeddedLedger({ database: getDatabase() }))
    ledger = createEmbeddedLedger({ database: getDatabase() })
  })
  const deliver = <Result>(ask: (server: Ledger) => Promise<Result>): Promise<Result[]> =>
    Promise.all(
      Array.from({ length: DELIVERY_COUNT }, (_, index) => ask(ledgers[index % ledgers.length] ?? ledger)),
    )
  const input = (accountId: string, overrides: Partial<CreditInput> = {}): CreditInput => ({
    accountId,
    amountNano: 100n,
    source: 'gateway',
    reference: randomUUID(),
    memo: { invoice: 'one' },
    ...overrides,
  })

  test.each([
    ['nothing', { amountNano: 0n }],
    ['a negative amount', { amountNano: -1n }],
    ['more than the largest transfer', { amountNano: NANO_MAX + 1n }],
    ['no reference', { reference: '' }],
    ['too long a reference', { reference: 'r'.repeat(201) }],
  ])('%s is refused as invalid input', async (_name, wrong) => {
    const { accountId, credential } = await createFundedAccount(ledger, 10n)
    const wrongInput = input(accountId, wrong)
    await expect(ledger.credit(wrongInput)).rejects.toMatchObject({ code: 'invalid_input' })
    await expect(ledger.reverse(wrongInput)).rejects.toMatchObject({ code: 'invalid_input' })
    expect(await ledger.getBalance({ credential })).toMatchObject({ balanceNano: 10n })
  })

  test.each([randomUUID(), 'not an id', '00000000-0000-4000-8000-000000000004'])(
    'a credit to the unknown account %s is refused, and its reference can be used again',
    async accountId => {
      const reference = randomUUID()
      const unknown = { name: 'LedgerError', code: 'unknown_account' }
      await expect(ledger.credit(input(accountId, { reference }))).rejects.toMatchObject(unknown)
      await expect(ledger.reverse(input(accountId, { reference }))).rejects.toMatchObject(unknown)
      const account = await createFundedAccount(ledger, 0n)
      expect(await ledger.credit(input(account.accountId, { reference }))).toEqual({
        outcome: 'credited',
        balanceNano: 100n,
      })
    },
  )

  test('50 parallel deliveries of one payment credit it once', async () => {
    const { accountId, credential } = await createFundedAccount(ledger, 0n)
    const payment = input(accountId)
    const results = await deliver(server => server.credit(payment))
    expect(results.filter(result => result.outcome === 'credited')).toHaveLength(1)
    expect(results.every(result => result.balanceNano === 100n)).toBe(true)
    expect(await ledger.getBalance({ credential })).toMatchObject({ balanceNano: 100n })
  })

  test('50 parallel payments are all credited', async () => {
    const { accountId, credential } = await createFundedAccount(ledger, 0n)
    await deliver(server => server.credit(input(accountId)))
    expect(await ledger.getBalance({ credential })).toMatchObject({ balanceNano: 5_000n })
  })

  test('50 parallel deliveries of one refund reverse it once', async () => {
    const { accountId, credential } = await createFundedAccount(ledger, 150n)
    const refund = input(accountId)
    const results = await deliver(server => server.reverse(refund))
    expect(results.filter(result => result.outcome === 'reversed')).toHaveLength(1)
    expect(results.every(result => result.takenNano === 100n && result.debtNano === 0n)).toBe(true)
    expect(await ledger.getBalance({ credential })).toMatchObject({ balanceNano: 50n })
  })

  test('a payment and its refund may share a reference', async () => {
    const { accountId } = await createFundedAccount(ledger, 0n)
    const payment = input(accountId)
    expect(await ledger.credit(payment)).toMatchObject({ outcome: 'credited' })
    expect(await ledger.reverse(payment)).toMatchObject({ outcome: 'reversed', takenNano: 100n })
    expect(await ledger.credit(payment)).toEqual({ outcome: 'already_credited', balanceNano: 0n })
  })

  test('every source has its own account, and all of them sum to zero', async () => {
    const { accountId } = await createFundedAccount(ledger, 0n)
    const before = (await checkLedger({ database: getDatabase() })).systemBalancesNano
    for (const source of ['gateway', 'promotion', 'operator'] as const) {
      await ledger.credit(input(accountId, { source }))
    }
    const report = await checkLedger({ database: getDatabase() })
    for (const kind of ['gateway', 'promotion', 'operator']) {
      expect(report.systemBalancesNano[kind]).toBe((before[kind] ?? 0n) - 100n)
    }
    expect(report.differences).toEqual([])
  })

  test('the source, reference and memo are stored with the transfer', async () => {
    const { accountId } = await createFundedAccount(ledger, 0n)
    const grant = input(accountId, { source: 'operator', memo: { by: 'ada', reason: 'apology' } })
    await ledger.credit(grant)
    const transfer = await getDatabase()
      .kysely.selectFrom('transfer')
      .where('reference', '=', `credit/${grant.reference}`)
      .select('memo')
      .executeTakeFirst()
    expect(transfer).toEqual({ memo: { by: 'ada', reason: 'apology' } })
  })
})
