import { beforeEach, expect, jest, test } from '@jest/globals'
import { sql } from 'kysely'
import { describeOnPostgres } from '@/lib/db/testing'
import { NANO_PER_USD } from '@/lib/money/nano'
import { GatewayError } from '../domain/gateway'
import { createPaymentsForTest, scriptedGateway } from './testing'

const ALL = { invoiceCountMax: 100 }

describeOnPostgres('reconciling', getDatabase => {
  const run = (statement: ReturnType<typeof sql>) => statement.execute(getDatabase().kysely)
  async function openShop() {
    const gateway = scriptedGateway()
    const fetchInvoice = jest.fn(gateway.fetchInvoice)
    const shop = await createPaymentsForTest({
      database: getDatabase(),
      gateways: [{ ...gateway, fetchInvoice }],
    })
    return { ...shop, gateway, fetchInvoice }
  }
  const makeDue = () =>
    run(sql`update invoice set next_check_at = now() - interval '1 second' where next_check_at is not null`)
  const age = (invoiceId: string, interval: string) =>
    run(sql`update invoice set expires_at = now() - ${interval}::interval, next_check_at = now() - interval '1 second'
      where id = ${invoiceId}`)
  /** From the check before; one that fails is scheduled a moment later, when it has failed. */
  async function secondsToNextCheck(invoiceId: string): Promise<number | null> {
    const { rows } = await sql<{ seconds: number | null }>`
      select floor(extract(epoch from next_check_at - checked_at) / 10)::int * 10 as seconds
      from invoice where id = ${invoiceId}`.execute(getDatabase().kysely)
    return rows[0]?.seconds ?? null
  }

  beforeEach(() => run(sql`update invoice set next_check_at = null`))

  test('credits a payment without a webhook', async () => {
    const shop = await openShop()
    const { gatewayInvoiceId } = await shop.createInvoice('1')
    shop.gateway.tell(gatewayInvoiceId, { state: 'Settled', paidNano: NANO_PER_USD })
    await makeDue()
    expect(await shop.payments.reconcile(ALL)).toEqual({
      checkedCount: 1,
      failedCount: 0,
      creditedNano: NANO_PER_USD,
    })
    expect(await shop.balanceNano()).toBe(NANO_PER_USD)
  })

  test('credits a payment that came weeks after its invoice expired', async () => {
    const shop = await openShop()
    const { gatewayInvoiceId, invoiceId } = await shop.createInvoice('1')
    await age(invoiceId, '29 days')
    shop.gateway.tell(gatewayInvoiceId, { state: 'Expired', paidNano: NANO_PER_USD, paidLate: true })
    await shop.payments.reconcile(ALL)
    expect(await shop.balanceNano()).toBe(NANO_PER_USD)
  })

  test.each([
    ['-14 minutes', 20],
    ['9 minutes', 20],
    ['11 minutes', 3600],
    ['23 hours', 3600],
    ['25 hours', 12 * 3600],
    ['29 days', 12 * 3600],
    ['31 days', null],
    ['-20 hours', 20],
    ['-20 hours', 180, '31 minutes'],
    ['9 minutes', 180, '31 minutes'],
  ])(
    'schedules the next check of an invoice %s after its expiry in %p seconds',
    async (sinceExpiry, expectedSeconds, sinceCreation = '0 minutes') => {
      const shop = await openShop()
      const { invoiceId } = await shop.createInvoice('1')
      await age(invoiceId, sinceExpiry)
      await run(
        sql`update invoice set created_at = now() - ${sinceCreation}::interval where id = ${invoiceId}`,
      )
      await shop.payments.reconcile(ALL)
      expect(await secondsToNextCheck(invoiceId)).toBe(expectedSeconds)
    },
  )

  test('checks the longest due invoices first, up to its limit', async () => {
    const shop = await openShop()
    const invoices = []
    for (const dollars of ['1', '2', '3']) invoices.push(await shop.createInvoice(dollars))
    await makeDue()
    await run(
      sql`update invoice set next_check_at = now() - interval '1 hour' where id = ${invoices[1]?.invoiceId}`,
    )
    await shop.payments.reconcile({ invoiceCountMax: 1 })
    expect(shop.fetchInvoice.mock.calls.map(([{ gatewayInvoiceId }]) => gatewayInvoiceId)).toEqual([
      invoices[1]?.gatewayInvoiceId,
    ])
  })

  test('by two processes in parallel never checks the same invoice twice', async () => {
    const shop = await openShop()
    for (let count = 0; count < 12; count += 1) await shop.createInvoice('1')
    await makeDue()
    await Promise.all([shop.payments.reconcile(ALL), shop.payments.reconcile(ALL)])
    expect(shop.fetchInvoice).toHaveBeenCalledTimes(12)
  })

  test('leaves an invoice that another process is about to change for its next run', async () => {
    const shop = await openShop()
    const taken = await shop.createInvoice('1')
    const free = await shop.createInvoice('2')
    await makeDue()
    await getDatabase()
      .kysely.transaction()
      .execute(async transaction => {
        await sql`select from invoice where id = ${taken.invoiceId} for update`.execute(transaction)
        expect(await shop.payments.reconcile(ALL)).toMatchObject({ checkedCount: 1 })
      })
    expect(shop.fetchInvoice.mock.calls.map(([{ gatewayInvoiceId }]) => gatewayInvoiceId)).toEqual([
      free.gatewayInvoiceId,
    ])
  })

  test('ends in time when gateways hang, and checks the rest in the next run', async () => {
    const shop = await openShop()
    for (let count = 0; count < 5; count += 1) await shop.createInvoice('1')
    await makeDue()
    const clock = jest.spyOn(performance, 'now').mockReturnValue(0)
    shop.fetchInvoice.mockImplementation(input => {
      clock.mockReturnValue(46_000)
      return shop.gateway.fetchInvoice(input)
    })
    expect(await shop.payments.reconcile(ALL)).toMatchObject({ checkedCount: 4 })
    expect(await shop.payments.reconcile(ALL)).toMatchObject({ checkedCount: 1 })
    clock.mockRestore()
  })

  test('counts only what it credited itself', async () => {
    const shop = await openShop()
    const { gatewayInvoiceId } = await shop.createInvoice('1')
    for (const [dollars, credited] of [
      [1n, 1n],
      [3n, 2n],
    ] as const) {
      shop.gateway.tell(gatewayInvoiceId, { state: 'Settled', paidNano: dollars * NANO_PER_USD })
      await makeDue()
      expect(await shop.payments.reconcile(ALL)).toMatchObject({ creditedNano: credited * NANO_PER_USD })
    }
  })

  test('does not delay other invoices for one whose gateway fails, and checks that one again', async () => {
    const shop = await openShop()
    const silent = await shop.createInvoice('1')
    const paid = await shop.createInvoice('2')
    shop.gateway.tell(paid.gatewayInvoiceId, { state: 'Settled', paidNano: 2n * NANO_PER_USD })
    shop.fetchInvoice.mockImplementation(input =>
      input.gatewayInvoiceId === silent.gatewayInvoiceId
        ? Promise.reject(new GatewayError('down'))
        : shop.gateway.fetchInvoice(input),
    )
    const stderr = jest.spyOn(process.stderr, 'write').mockReturnValue(true)
    await makeDue()
    expect(await shop.payments.reconcile(ALL)).toMatchObject({ checkedCount: 1, failedCount: 1 })
    expect(await shop.balanceNano()).toBe(2n * NANO_PER_USD)
    expect(await secondsToNextCheck(silent.invoiceId)).toBe(20)
    await age(silent.invoiceId, '10 days')
    await shop.payments.reconcile(ALL)
    expect(await secondsToNextCheck(silent.invoiceId)).toBe(300)
    stderr.mockRestore()
  })

  const CLAIMS = [
    sql`paid_nano = 5, claimed_nano = 5`,
    sql`paid_nano = 5, claimed_nano = 5, credited_nano = 5, bonus_claimed_nano = 5`,
    sql`paid_nano = 5, claimed_nano = 5, credited_nano = 5, reversal_claimed_nano = 5`,
    sql`paid_nano = 5, claimed_nano = 5, credited_nano = 5, bonus_claimed_nano = 5, bonus_nano = 5,
      reversal_bonus_claimed_nano = 5`,
  ]
  test('asks a gateway that fails for ever a day longer than any other, or until an open claim is finished', async () => {
    const stderr = jest.spyOn(process.stderr, 'write').mockReturnValue(true)
    for (const claim of CLAIMS) {
      const shop = await openShop()
      const { invoiceId } = await shop.createInvoice('1')
      shop.fetchInvoice.mockRejectedValue(new GatewayError('not this wallet’s'))
      const nextAfter = async (sinceExpiry: string) => {
        await age(invoiceId, sinceExpiry)
        await shop.payments.reconcile(ALL)
        return secondsToNextCheck(invoiceId)
      }
      expect(await nextAfter('30 days 1 hour')).toBe(300)
      expect(await nextAfter('31 days 1 hour')).toBeNull()
      await run(sql`update invoice set ${claim} where id = ${invoiceId}`)
      expect(await nextAfter('31 days 1 hour')).toBe(300)
      await run(sql`update invoice set next_check_at = null`)
    }
    stderr.mockRestore()
  })

  test('credits the open claim of a crashed process, however old the invoice', async () => {
    const shop = await openShop()
    const { invoiceId } = await shop.createInvoice('1')
    await run(sql`update invoice set expires_at = now() - interval '10 days', paid_nano = 5, claimed_nano = 5,
      next_check_at = now() - interval '1 second' where id = ${invoiceId}`)
    expect(await shop.payments.reconcile(ALL)).toMatchObject({ creditedNano: 5n })
    expect(await shop.balanceNano()).toBe(5n)
  })

  test('is not needed for status requests, which ask the gateway every two seconds and answer while it is down', async () => {
    const shop = await openShop()
    const [{ invoiceId }, other] = [await shop.createInvoice('1'), await shop.createInvoice('1')]
    const ask = (id = invoiceId) => shop.payments.getInvoice({ accountId: shop.accountId, invoiceId: id })
    await Promise.all(Array.from({ length: 10 }, () => ask()))
    expect(shop.fetchInvoice).toHaveBeenCalledTimes(1)
    await ask(other.invoiceId)
    expect(shop.fetchInvoice).toHaveBeenCalledTimes(2)
    await run(sql`update invoice set checked_at = now() - interval '3 seconds' where id = ${invoiceId}`)
    shop.fetchInvoice.mockRejectedValue(new GatewayError('down'))
    expect((await ask())?.state).toBe('New')
    expect(shop.fetchInvoice).toHaveBeenCalledTimes(3)
  })

  test('is not needed for status requests of a paid invoice, which ask until all of it is credited', async () => {
    const shop = await openShop()
    const { invoiceId, gatewayInvoiceId } = await shop.createInvoice('1')
    shop.gateway.tell(gatewayInvoiceId, { state: 'Settled', paidNano: NANO_PER_USD })
    await shop.deliver(gatewayInvoiceId)
    const askAfter = async (change: ReturnType<typeof sql>) => {
      await run(sql`update invoice set checked_at = null, ${change} where id = ${invoiceId}`)
      shop.fetchInvoice.mockClear()
      const invoice = await shop.payments.getInvoice({ accountId: shop.accountId, invoiceId })
      return [shop.fetchInvoice.mock.calls.length, invoice?.creditedNano]
    }
    expect(await askAfter(sql`state = state`)).toEqual([0, NANO_PER_USD])
    // A process died between the claim and its transfer, and between the payment and its claim.
    expect(await askAfter(sql`credited_nano = 0`)).toEqual([1, NANO_PER_USD])
    expect(await askAfter(sql`paid_nano = 2 * paid_nano`)).toEqual([1, 2n * NANO_PER_USD])
    // As long after its expiry as the checks end.
    expect(await askAfter(sql`state = 'Invalid', next_check_at = null`)).toEqual([0, 2n * NANO_PER_USD])
  })

  test('shows an invoice to its owner only', async () => {
    const [mine, theirs] = [await openShop(), await openShop()]
    const { invoiceId } = await mine.createInvoice('1')
    expect(await theirs.payments.getInvoice({ accountId: theirs.accountId, invoiceId })).toBeNull()
    expect(await mine.payments.getInvoice({ accountId: mine.accountId, invoiceId })).not.toBeNull()
  })
})
