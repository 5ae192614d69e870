import { expect, test } from '@jest/globals'
import { describeOnPostgres } from '@/lib/db/testing'
import { GATEWAYS } from '../domain/gateway'
import { CURRENCIES, METHOD_IDS } from '../domain/payment-method'
import type { PaymentTables } from './payment-tables'
import { createPaymentsForTest, scriptedGateway } from './testing'

describeOnPostgres('the database’s checks of an invoice', getDatabase => {
  const rename = async (names: { gateway?: string; method?: string; requested_currency?: string }) => {
    const shop = await createPaymentsForTest({ database: getDatabase(), gateways: [scriptedGateway()] })
    const { invoiceId } = await shop.createInvoice('1')
    await getDatabase()
      .kysely.withTables<PaymentTables>()
      .updateTable('invoice')
      .set(names)
      .where('id', '=', invoiceId)
      .execute()
    return shop.payments.findInvoice({ invoiceId })
  }

  test.each(GATEWAYS)('accept the gateway %s', async gateway => {
    expect(await rename({ gateway })).toMatchObject({ gatewayId: gateway })
  })

  test.each(METHOD_IDS)('accept the method %s', async method => {
    expect(await rename({ method })).toMatchObject({ methodId: method })
  })

  test.each(CURRENCIES)('accept the currency %s', async currency => {
    expect(await rename({ requested_currency: currency })).toMatchObject({ requestedCurrency: currency })
  })

  test.each([{ gateway: 'paypal' }, { gateway: '' }, { method: 'gold' }, { requested_currency: 'EUR' }])(
    'refuse %j',
    async names => {
      await expect(rename(names)).rejects.toMatchObject({ code: '23514' })
    },
  )
})
