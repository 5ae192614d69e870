import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { readServerSettings } from '@/lib/config/settings'
import { describeOnPostgres } from '@/lib/db/testing'
import { hashSecret } from '@/lib/http/credential'
import { createBooks } from '@/lib/ledger/server/books'
import { createEmbeddedLedger } from '@/lib/ledger/server/embedded-ledger'
import { createFundedAccount, openHold, USAGE } from '@/lib/ledger/testing'
import { createPayments } from '@/lib/payments/server/create-payments'
import { scriptedGateway } from '@/lib/payments/server/testing'
import { adjust, balance, grant, refund } from './account-operations'
import { check, prune, sweepOperation, usage } from './book-operations'
import { invoice } from './invoice-operations'
import { type Operation, type OperationInput, refuseExtras } from './operation'

const DOLLAR_NANO = 1_000_000_000n
const OPERATOR = 'ada'

describeOnPostgres('the operator’s commands', getDatabase => {
  const gateway = scriptedGateway()
  let services: OperationInput['services']
  let account: Awaited<ReturnType<typeof createFundedAccount>>
  let creditIdBefore: string | undefined

  beforeAll(() => {
    const database = getDatabase()
    const ledger = createEmbeddedLedger({ database })
    const settings = readServerSettings({})
    const payments = createPayments({ database, ledger, gateways: [gateway], bonuses: settings.topUpBonuses })
    services = { ledger, payments, settings, books: createBooks({ database }) }
  })
  beforeEach(async () => {
    creditIdBefore = process.env.CREDIT_ID
    delete process.env.CREDIT_ID
    account = await createFundedAccount(services.ledger, DOLLAR_NANO)
  })
  afterEach(() => {
    if (creditIdBefore !== undefined) process.env.CREDIT_ID = creditIdBefore
  })

  async function run(
    operation: Operation,
    options: OperationInput['options'],
    words: string[] = [],
  ): Promise<string> {
    const lines: string[] = []
    const input = { services, options: { account: account.accountId, ...options }, words }
    await operation.run({ ...input, operator: OPERATOR, print: line => void lines.push(line) })
    return lines.join('\n')
  }
  const balanceNano = async () =>
    (await services.ledger.getBalance({ credential: account.credential }))?.balanceNano
  /** An operator's transfers to or from the account. */
  const transfers = () =>
    getDatabase()
      .kysely.selectFrom('transfer')
      .where(eb =>
        eb.or([
          eb('debit_account_id', '=', account.accountId),
          eb('credit_account_id', '=', account.accountId),
        ]),
      )
      .where('reference', 'like', '%operator:%')
      .select(['kind', 'amount_nano', 'memo'])
      .execute()

  const MOVERS: [string, Operation, string[]][] = [
    ['grant', grant, []],
    ['refund', refund, []],
    ['adjust give', adjust, ['give']],
    ['adjust take', adjust, ['take']],
  ]

  describe.each(MOVERS)('%s', (_name, operation, words) => {
    test.each<[string, OperationInput['options'], string]>([
      ['without a reason', { amount: '0.25' }, 'Say why'],
      ['with a reason of spaces', { amount: '0.25', reason: '   ' }, 'Say why'],
      ['with an endless reason', { amount: '0.25', reason: 'x'.repeat(501) }, 'Say why'],
      ['without an amount', { reason: 'because' }, 'Name an amount'],
      ['with an amount of nothing', { amount: '0', reason: 'because' }, 'Name an amount'],
      [
        'with more than a transfer may have',
        { amount: '1000000.000000001', reason: 'because' },
        'Name at most 1000000 USD',
      ],
      ['with a negative amount', { amount: '-1', reason: 'because' }, 'Name an amount'],
      ['with an exponent', { amount: '1e3', reason: 'because' }, 'Name an amount'],
      ['with an amount that is no number', { amount: '1e3x', reason: 'because' }, 'Name an amount'],
      ['without an account', { account: '', amount: '1', reason: 'because' }, 'Name the account'],
    ])('is refused %s, and moves nothing', async (_case, options, sentence) => {
      await expect(run(operation, options, words)).rejects.toMatchObject({
        name: 'OperationError',
        message: expect.stringContaining(sentence),
      })
      expect(await balanceNano()).toBe(DOLLAR_NANO)
      expect(await transfers()).toEqual([])
    })

    test('on an unknown account moves nothing', async () => {
      const options = { account: randomUUID(), amount: '1', reason: 'because' }
      await expect(run(operation, options, words)).rejects.toMatchObject({ code: 'unknown_account' })
    })

    test('records one transfer, with operator and reason', async () => {
      await run(operation, { amount: '0.25', reason: ' a broken answer ' }, words)
      expect(await transfers()).toEqual([
        expect.objectContaining({
          amount_nano: DOLLAR_NANO / 4n,
          memo: expect.objectContaining({ operator: OPERATOR, reason: 'a broken answer' }),
        }),
      ])
    })
  })

  test.each<[string, Operation, string[], bigint]>([
    ['grant adds', grant, [], 1_250_000_000n],
    ['refund takes', refund, [], 750_000_000n],
    ['adjust give adds', adjust, ['give'], 1_250_000_000n],
    ['adjust take takes', adjust, ['take'], 750_000_000n],
  ])('%s the amount, and says so', async (_name, operation, words, expectedNano) => {
    const said = await run(operation, { amount: '0.25', reason: 'because' }, words)
    expect(await balanceNano()).toBe(expectedNano)
    expect(said).toContain('0.25')
  })

  test.each<[string, Operation, string[]]>([
    ['grant', grant, []],
    ['adjust give', adjust, ['give']],
  ])(
    'what %s gives to an account that was merged into another goes to that one',
    async (_name, operation, words) => {
      const other = await createFundedAccount(services.ledger, DOLLAR_NANO)
      const merge = { from: account.credential, into: other.credential, reference: randomUUID() }
      await services.ledger.merge(merge)
      const said = await run(operation, { amount: '0.25', reason: 'because' }, words)
      expect(said).toContain('gave 0.25 USD; the balance is 0 USD')
      expect(said).toContain('went to the account that this one was merged into')
      expect(await services.ledger.getBalance({ credential: other.credential })).toMatchObject({
        balanceNano: 2_250_000_000n,
      })
      expect(await run(balance, {})).toContain(`merged    into account ${other.accountId}`)
    },
  )

  test('a refund above the balance takes the balance and names the loss', async () => {
    const said = await run(refund, { amount: '3', reason: 'paid back by bank' })
    expect(await balanceNano()).toBe(0n)
    expect(said).toMatch(/2(\.00)? USD were not available any more/)
  })

  test('adjust without a direction is refused', async () => {
    await expect(run(adjust, { amount: '1', reason: 'because' })).rejects.toMatchObject({
      name: 'OperationError',
    })
  })

  test('balance shows the held amount and the balance', async () => {
    await openHold(services.ledger, account.credential, DOLLAR_NANO / 2n)
    const said = await run(balance, {})
    expect(said).toMatch(/balance\s+1(\.00)? USD/)
    expect(said).toMatch(/held\s+0\.50? USD/)
  })

  test('a credit_id in the environment selects the account, and conflicts with another option', async () => {
    const creditId = randomUUID()
    const theirs = await services.ledger.createAccount({
      creditIdHash: hashSecret(creditId),
      firstKey: null,
      attribution: null,
    })
    process.env.CREDIT_ID = creditId
    const given = { amount: '1', reason: 'because' }
    await expect(run(grant, given)).rejects.toMatchObject({ name: 'OperationError' })
    expect(await run(balance, { account: undefined })).toContain(theirs.accountId)
    process.env.CREDIT_ID = randomUUID()
    await expect(run(grant, { ...given, account: undefined })).rejects.toThrow('CREDIT_ID')
  })

  test('an invalid account id is reported', async () => {
    await expect(run(balance, { account: '42' })).rejects.toThrow('"42" is not an account id')
  })

  test('prune keeps the months of statements, and usage has the pruned ones by month', async () => {
    for (const months of ['23', '0', '24.5', 'x', '']) {
      await expect(run(prune, { months })).rejects.toMatchObject({ name: 'OperationError' })
    }
    const holdId = await openHold(services.ledger, account.credential, 700n)
    await services.ledger.settle({ holdId, costNano: 700n, usage: USAGE })
    await getDatabase()
      .kysely.updateTable('hold')
      .set({ created_at: new Date('2021-03-05'), resolved_at: new Date('2021-03-05') })
      .where('id', '=', holdId)
      .execute()
    expect(await run(prune, {})).toMatch(
      /^added 1 calls from before \d{4}-\d\d-01 to the totals of their months$/,
    )
    expect(await run(usage, { days: '3660' })).toMatch(/^2021-03 {2}1 {2}0 {2}0\.0000007 {2}0 /m)
    expect(await run(check, {})).toContain('The books balance.')
  })

  test('usage refuses invalid days', async () => {
    for (const days of ['0', '-1', '1.5', 'many', '999999'])
      await expect(run(usage, { days })).rejects.toMatchObject({ name: 'OperationError' })
    expect(await run(usage, { days: '1' })).toContain('margin')
  })

  describe('an invoice paid above the automatic limit', () => {
    let invoiceId: string
    beforeEach(async () => {
      const created = await services.payments.createInvoice({
        accountId: account.accountId,
        methodId: 'btc-lightning',
        amount: { coefficient: 900n, scale: 0 },
        currency: 'USD',
        siteUrl: 'https://site.test',
      })
      if (created.outcome !== 'created') throw new Error(created.outcome)
      invoiceId = created.invoice.invoiceId
      gateway.tell(created.invoice.gatewayInvoiceId, { state: 'Settled', paidNano: 1_500n * DOLLAR_NANO })
      const stderr = jest.spyOn(process.stderr, 'write').mockReturnValue(true)
      await run(invoice, {}, ['recheck', invoiceId])
      stderr.mockRestore()
    })

    test('is shown and listed with the waiting amount', async () => {
      expect(await run(invoice, {}, ['show', invoiceId.toUpperCase()])).toMatch(/waiting\s+500 USD/)
      expect(await run(invoice, {}, ['waiting'])).toMatch(new RegExp(`${invoiceId}.*500 USD`))
      expect(await balanceNano()).toBe(1_001n * DOLLAR_NANO)
    })

    test('is credited in part or whole after the operator gives a reason, and no more', async () => {
      const reason = 'spoke to them'
      await expect(run(invoice, {}, ['credit-rest', invoiceId])).rejects.toThrow('Say why')
      expect(await run(invoice, { reason, amount: '100' }, ['credit-rest', invoiceId])).toContain(
        '100 USD more',
      )
      expect(await balanceNano()).toBe(1_101n * DOLLAR_NANO)
      const said = await run(invoice, { reason }, ['credit-rest', invoiceId])
      expect(said).toContain('credited 400 USD more')
      expect(said).not.toContain('waiting')
      expect(await run(invoice, { reason }, ['credit-rest', invoiceId])).toContain(
        'nothing of this invoice is waiting',
      )
      expect(await balanceNano()).toBe(1_501n * DOLLAR_NANO)
    })
  })

  test.each([
    [[]],
    [['show']],
    [['show', 'x']],
    [['pay', randomUUID()]],
    [['toString']],
    [['credit-rest', randomUUID()]],
  ])('invoice %j is refused', async words => {
    await expect(run(invoice, { reason: 'because' }, words)).rejects.toMatchObject({
      name: 'OperationError',
    })
  })

  test('afterwards the ledger balances, and a sweep finds nothing open', async () => {
    await expect(run(check, {})).resolves.toEqual(expect.any(String))
    expect(await run(sweepOperation, {})).toBe('released 0 expired holds')
  })
})

test.each<[string, Operation, string[], OperationInput['options']]>([
  ['prune 36', prune, ['36'], {}],
  ['prune --days 36', prune, [], { days: '36' }],
  ['usage 90', usage, ['90'], {}],
  ['balance <id>', balance, [randomUUID()], {}],
  [
    'grant with a reason without quotes',
    grant,
    ['to', 'you'],
    { account: 'a', amount: '1', reason: 'welcome' },
  ],
  ['adjust give 1', adjust, ['give', '1'], { account: 'a', reason: 'x' }],
  ['invoice credit-rest <id> 100', invoice, ['credit-rest', randomUUID(), '100'], { reason: 'x' }],
  ['sweep --account', sweepOperation, [], { account: 'a' }],
])('%s is refused, and names what is expected', (_name, operation, words, options) => {
  expect(() => refuseExtras(operation, { words, options })).toThrow(`Expected: ${operation.usage}`)
})

test.each<[Operation, string[], OperationInput['options']]>([
  [prune, [], { months: '36' }],
  [adjust, ['take'], { account: 'a', amount: '1', reason: 'x' }],
  [invoice, ['credit-rest', 'i'], { amount: '1', reason: 'x' }],
  [check, [], {}],
])('what a command takes is accepted: %#', (operation, words, options) => {
  expect(() => refuseExtras(operation, { words, options })).not.toThrow()
})
