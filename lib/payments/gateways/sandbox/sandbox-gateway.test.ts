import { createHash, randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { sql } from 'kysely'
import { describeOnPostgres } from '@/lib/db/testing'
import { NANO_PER_USD } from '@/lib/money/nano'
import { readBolt11 } from '../../domain/bolt11'
import { additionalStatus } from '../../domain/invoice'
import type { PaymentTables } from '../../server/payment-tables'
import { createPaymentsForTest, decimal } from '../../server/testing'
import { createSandboxGateway, sandboxPreimage } from './sandbox-gateway'

describeOnPostgres('the sandbox gateway', getDatabase => {
  let shop: Awaited<ReturnType<typeof createPaymentsForTest>>
  const pay = (invoiceId: string, fraction: string) =>
    shop.payments.paySandboxInvoice({ invoiceId, fraction: decimal(fraction) })

  beforeAll(async () => {
    const database = getDatabase()
    const gateway = createSandboxGateway({ database: database.kysely.withTables<PaymentTables>() })
    shop = await createPaymentsForTest({ database, gateways: [gateway] })
  })

  async function credited(work: () => Promise<unknown>): Promise<bigint> {
    const before = (await shop.balanceNano()) ?? 0n
    await work()
    return ((await shop.balanceNano()) ?? 0n) - before
  }

  test('an invoice names its bitcoin amount and cannot be paid by a real wallet', async () => {
    const invoice = await shop.createInvoice('2')
    expect(invoice).toMatchObject({ state: 'New', creditedNano: 0n, bitcoinDue: decimal('0.00002') })
    expect(readBolt11(invoice.lightningInvoice ?? '')).toEqual({
      network: 'regtest',
      millisatoshis: 2_000_000n,
      paymentHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
  })

  test('the preimage is revealed once the invoice is fully paid', async () => {
    const { invoiceId, lightningInvoice } = await shop.createInvoice('1')
    const half = await pay(invoiceId, '0.5')
    expect(half && sandboxPreimage(half)).toBeNull()
    const whole = await pay(invoiceId, '0.5')
    const preimage = (whole && sandboxPreimage(whole)) ?? ''
    const paymentHash = createHash('sha256').update(Buffer.from(preimage, 'hex')).digest('hex')
    expect(readBolt11(lightningInvoice ?? '')?.paymentHash).toBe(paymentHash)
    expect(whole && sandboxPreimage({ ...whole, gatewayId: 'btcpay' })).toBeNull()
  })

  describe.each([
    ['0.5', NANO_PER_USD / 2n, 'New', 'paid_partial'],
    ['1', NANO_PER_USD, 'Settled', 'none'],
    ['1.7', (NANO_PER_USD * 17n) / 10n, 'Settled', 'paid_over'],
  ])('paid %s times', (fraction, expectedNano, state, additional) => {
    test('credits the paid amount and reports the status', async () => {
      const { invoiceId } = await shop.createInvoice('1')
      expect(await credited(() => pay(invoiceId, fraction))).toBe(expectedNano)
      const invoice = await shop.payments.getInvoice({ accountId: shop.accountId, invoiceId })
      expect(invoice?.state).toBe(state)
      expect(invoice && additionalStatus(invoice)).toBe(additional)
    })
  })

  test('a third and then two thirds add up to the whole, although neither is a finite decimal', async () => {
    const { invoiceId } = await shop.createInvoice('3')
    await pay(invoiceId, String(1 / 3))
    const whole = await pay(invoiceId, String(2 / 3))
    expect(whole).toMatchObject({ state: 'Settled', paidNano: 3n * NANO_PER_USD })
    expect(whole && additionalStatus(whole)).toBe('none')
  })

  test('two payments are both credited', async () => {
    const { invoiceId } = await shop.createInvoice('1')
    expect(await credited(() => pay(invoiceId, '1'))).toBe(NANO_PER_USD)
    expect(await credited(() => pay(invoiceId, '1'))).toBe(NANO_PER_USD)
  })

  test('a payment that is sent twice, as by a browser whose connection broke, is made once', async () => {
    const { invoiceId } = await shop.createInvoice('1')
    const payment = { invoiceId, fraction: decimal('1'), paymentId: randomUUID() }
    const payTwice = async () => {
      await shop.payments.paySandboxInvoice(payment)
      expect(await shop.payments.paySandboxInvoice(payment)).toMatchObject({ state: 'Settled' })
    }
    expect(await credited(payTwice)).toBe(NANO_PER_USD)
  })

  test('a payment after expiry is credited, and the invoice is settled and marked as paid late', async () => {
    const { invoiceId } = await shop.createInvoice('1')
    await sql`update invoice set expires_at = now() - interval '1 minute' where id = ${invoiceId}`.execute(
      getDatabase().kysely,
    )
    const expired = await shop.payments.getInvoice({ accountId: shop.accountId, invoiceId })
    expect(expired?.state).toBe('Expired')
    expect(await credited(() => pay(invoiceId, '1'))).toBe(NANO_PER_USD)
    const paid = await shop.payments.getInvoice({ accountId: shop.accountId, invoiceId })
    expect(paid).toMatchObject({ state: 'Settled', paidLate: true, creditedNano: NANO_PER_USD })
  })

  test('an invoice cannot be paid at a site that has no sandbox', async () => {
    const { invoiceId, gatewayInvoiceId } = await shop.createInvoice('1')
    const other = await createPaymentsForTest({ database: getDatabase(), gateways: [] })
    expect(await other.payments.paySandboxInvoice({ invoiceId, fraction: decimal('1') })).toBeNull()
    const { rows } = await sql`
      select from sandbox_payment where gateway_invoice_id = ${gatewayInvoiceId}`.execute(
      getDatabase().kysely,
    )
    expect(rows).toEqual([])
  })

  test('an unknown invoice cannot be paid', async () => {
    expect(await pay('00000000-0000-4000-8000-000000000000', '1')).toBeNull()
    expect(await pay("'; drop table invoice; --", '1')).toBeNull()
  })
})
