import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { sql } from 'kysely'
import { describeOnPostgres } from '@/lib/db/testing'
import { openTestSession } from '@/lib/db/testing-session'
import { untilWaiting } from '@/lib/ledger/server/model/stepped-races'
import { openHold, USAGE } from '@/lib/ledger/testing'
import { createPaymentsForTest, scriptedGateway } from './testing'

type Shop = Awaited<ReturnType<typeof createPaymentsForTest>>

/** Accounts that were created for a payment, once nobody can pay any more. */
describeOnPostgres('removing accounts for which no payment came', (getDatabase, getUrl) => {
  const run = (statement: ReturnType<typeof sql>) => statement.execute(getDatabase().kysely)
  const reconcile = ({ payments }: Shop) => payments.reconcile({ invoiceCountMax: 0 })
  const isThere = async ({ payments }: Shop, invoiceId: string) =>
    (await payments.findInvoice({ invoiceId })) !== null

  /** An account that is to be removed, whose invoice has expired, and was checked for the last time. */
  async function openShop() {
    const shop = await createPaymentsForTest({ database: getDatabase(), gateways: [scriptedGateway()] })
    const { invoiceId } = await shop.createInvoice('1')
    await run(sql`update invoice set state = 'Expired', next_check_at = null, checked_at = now()
      where id = ${invoiceId}`)
    await run(sql`update account set remove_unpaid_at = now() where id = ${shop.accountId}`)
    return { ...shop, invoiceId }
  }

  const TOUCHES: Record<string, (shop: Awaited<ReturnType<typeof openShop>>) => Promise<unknown>> = {
    'a payment that is not credited yet': ({ invoiceId }) =>
      run(sql`update invoice set paid_nano = 5 where id = ${invoiceId}`),
    'an address on chain, where a payment may come weeks late': ({ invoiceId }) =>
      run(sql`update invoice set method = 'btc' where id = ${invoiceId}`),
    'a payment that is not confirmed yet': ({ invoiceId }) =>
      run(sql`insert into invoice_payment (invoice_id, payment_id, bitcoin, in_time, at_invoice_rate_nano)
        values (${invoiceId}, 'first', '0.00001', true, 0)`),
    'an invoice that is still to be checked, and was last before this site stood still': ({ invoiceId }) =>
      run(sql`update invoice set state = 'New', next_check_at = now(), checked_at = now() - interval '1 day'
        where id = ${invoiceId}`),
    'an invoice whose last check may still find it paid': ({ invoiceId }) =>
      run(sql`update invoice set state = 'New' where id = ${invoiceId}`),
    'money of another kind': ({ ledger, accountId }) =>
      ledger.credit({ accountId, amountNano: 1n, source: 'operator', reference: randomUUID(), memo: {} }),
    'money that was taken back': async ({ ledger, accountId }) => {
      const gift = {
        accountId,
        amountNano: 1n,
        source: 'operator',
        reference: randomUUID(),
        memo: {},
      } as const
      await ledger.credit(gift)
      await ledger.reverse(gift)
    },
    'a credit that was spent': async ({ ledger, accountId, credential }) => {
      await ledger.credit({ accountId, amountNano: 1n, source: 'gateway', reference: randomUUID(), memo: {} })
      const holdId = await openHold(ledger, credential, 1n)
      await ledger.settle({ holdId, costNano: 1n, usage: USAGE })
    },
    'a free call': async ({ ledger, credential }) => {
      const holdId = await openHold(ledger, credential, 0n)
      await ledger.release({ holdId, usage: USAGE })
    },
    'a free call that is running': ({ ledger, credential }) => openHold(ledger, credential, 0n),
  }

  test('leaves those that anything has touched, whatever it was, and the others do not wait for them', async () => {
    const shops = []
    for (const touch of Object.values(TOUCHES)) {
      const shop = await openShop()
      await touch(shop)
      shops.push(shop)
    }
    const untouched = await openShop()
    const forgotten = await openShop()
    await run(sql`update invoice set state = 'New', checked_at = now() - interval '61 minutes'
      where id = ${forgotten.invoiceId}`)
    await reconcile(untouched)
    expect(await isThere(untouched, untouched.invoiceId)).toBe(false)
    // A wallet that forgets unpaid invoices never reports their end.
    expect(await isThere(forgotten, forgotten.invoiceId)).toBe(false)
    const left = await Promise.all(shops.map(shop => isThere(shop, shop.invoiceId)))
    expect(left).toEqual(Object.keys(TOUCHES).map(() => true))
    // They would otherwise be looked at again in every run, and take the turns of the others.
    const { rows: due } = await run(sql`select from account where remove_unpaid_at <= now()`)
    expect(due).toHaveLength(0)
  })

  test('leaves one whose payment is being recorded at that moment', async () => {
    const shop = await openShop()
    const recorder = await openTestSession(getUrl())
    await recorder.run('begin')
    await recorder.run('update invoice set paid_nano = 5 where id = $1', [shop.invoiceId])
    const reconciled = reconcile(shop)
    await untilWaiting(getDatabase(), 1, reconciled)
    await recorder.run('commit')
    await reconciled
    await recorder.close()
    expect(await isThere(shop, shop.invoiceId)).toBe(true)
  })

  test('does not wait for one that is being used at that moment', async () => {
    const [used, unused] = [await openShop(), await openShop()]
    const user = await openTestSession(getUrl())
    await user.run('begin')
    await user.run('select from account where id = $1 for update', [used.accountId])
    await reconcile(unused)
    await user.run('commit')
    await user.close()
    expect(await isThere(unused, unused.invoiceId)).toBe(false)
    expect(await isThere(used, used.invoiceId)).toBe(true)
  })
})
