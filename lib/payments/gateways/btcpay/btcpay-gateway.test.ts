import { createServer } from 'node:http'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { NANO_PER_USD } from '@/lib/money/nano'
import { type BtcpayStandInOptions, startBtcpayStandIn } from '@/test/stand-ins/btcpay'
import { startJsonServer } from '@/test/stand-ins/json-server'
import { startLyingProxy } from '@/test/stand-ins/lying-proxy'
import { listen } from '@/test/support/listen'
import { listenToLog } from '@/test/support/log-lines'
import { GatewayError, type GatewayInvoiceRequest } from '../../domain/gateway'
import { countObservation, decimal } from '../../server/testing'
import { createBtcpayGateway } from './btcpay-gateway'

type StandIn = Awaited<ReturnType<typeof startBtcpayStandIn>>

const REQUEST: GatewayInvoiceRequest = {
  invoiceId: 'f6b5c2a0-1111-4222-8333-444455556666',
  methodId: 'btc-lightning',
  amountNano: 5n * NANO_PER_USD,
  requested: { amount: decimal('5'), currency: 'USD' },
  expirySeconds: 900,
  returnUrl: 'https://site.test/top-up?invoice=f6b5c2a0-1111-4222-8333-444455556666',
}

describe('the BTCPay gateway', () => {
  let standIn: StandIn
  const start = async (options: BtcpayStandInOptions = {}) => {
    standIn = await startBtcpayStandIn(options)
    return createBtcpayGateway(standIn.settings)
  }
  const observe = async (gateway: Awaited<ReturnType<typeof start>>, gatewayInvoiceId: string) => {
    const { amountNano } = REQUEST
    const observation = await gateway.fetchInvoice({ gatewayInvoiceId, amountNano, bitcoinDue: null })
    return observation && countObservation(observation, { amountNano })
  }
  afterEach(() => standIn.stop())

  test('creates an invoice over exactly the ordered amount, and returns how to pay it', async () => {
    const gateway = await start()
    const created = await gateway.createInvoice(REQUEST)
    expect(created).toMatchObject({
      checkoutUrl: `${standIn.url}/i/${created.gatewayInvoiceId}`,
      lightningInvoice: expect.stringMatching(/^lnbc77650n1/),
      bitcoinAddress: null,
      bitcoinDue: decimal('0.00007765'),
    })
    expect(standIn.invoice(created.gatewayInvoiceId).request).toEqual({
      amount: '5',
      currency: 'USD',
      metadata: { orderId: REQUEST.invoiceId },
      checkout: {
        paymentMethods: ['BTC-LN'],
        expirationMinutes: 15,
        monitoringMinutes: 43_200,
        redirectURL: REQUEST.returnUrl,
      },
    })
  })

  test('creates an on-chain invoice in bitcoin if bitcoin was ordered', async () => {
    const gateway = await start()
    const created = await gateway.createInvoice({
      ...REQUEST,
      methodId: 'btc',
      requested: { amount: decimal('20000'), currency: 'SATS' },
    })
    expect(created).toMatchObject({ lightningInvoice: null, bitcoinDue: decimal('0.0002') })
    expect(created.bitcoinAddress).toMatch(/^bc1q/)
  })

  test('reads the field names of version 1.x', async () => {
    const gateway = await start({
      invoicePaths: 'store',
      enabledPaymentMethods: ['BTC-LightningNetwork', 'BTC'],
    })
    const created = await gateway.createInvoice(REQUEST)
    expect(created.lightningInvoice).toMatch(/^lnbc/)
  })

  test.each(['both', 'short', 'store'] as const)(
    'finds its invoices by the API paths: %s',
    async invoicePaths => {
      const gateway = await start({ invoicePaths })
      const { gatewayInvoiceId } = await gateway.createInvoice(REQUEST)
      standIn.invoice(gatewayInvoiceId).pay(100n, true)
      expect(await observe(gateway, gatewayInvoiceId)).toMatchObject({
        state: 'Settled',
        paidNano: REQUEST.amountNano,
      })
    },
  )

  test.each([
    [50n, 'New', 2_500_000_000n],
    [170n, 'Settled', 8_500_000_000n],
  ])('reports that %d percent were paid', async (percent, state, paidNano) => {
    const gateway = await start()
    const { gatewayInvoiceId } = await gateway.createInvoice(REQUEST)
    standIn.invoice(gatewayInvoiceId).pay(percent, true)
    expect(await observe(gateway, gatewayInvoiceId)).toMatchObject({ state, paidNano })
  })

  test('counts a payment on the chain once it is confirmed', async () => {
    const gateway = await start()
    const { gatewayInvoiceId } = await gateway.createInvoice({ ...REQUEST, methodId: 'btc' })
    standIn.invoice(gatewayInvoiceId).pay(100n, false)
    expect(await observe(gateway, gatewayInvoiceId)).toMatchObject({ state: 'Processing', paidNano: 0n })
    standIn.invoice(gatewayInvoiceId).confirm()
    expect(await observe(gateway, gatewayInvoiceId)).toMatchObject({
      state: 'Settled',
      paidNano: REQUEST.amountNano,
    })
  })

  test('reports a late payment', async () => {
    let nowSeconds = 1_592_312_018
    const gateway = await start({ now: () => nowSeconds })
    const { gatewayInvoiceId } = await gateway.createInvoice(REQUEST)
    nowSeconds += 901
    expect(await observe(gateway, gatewayInvoiceId)).toMatchObject({ state: 'Expired', paidNano: 0n })
    standIn.invoice(gatewayInvoiceId).pay(100n, true)
    expect(await observe(gateway, gatewayInvoiceId)).toMatchObject({
      paidNano: REQUEST.amountNano,
      paidLate: true,
    })
  })

  test('does not find an invoice with an unknown id or of another store', async () => {
    const gateway = await start()
    const { gatewayInvoiceId } = await gateway.createInvoice(REQUEST)
    expect(await observe(gateway, 'unknown')).toBeNull()
    expect(await observe(gateway, '../../stores')).toBeNull()
    const other = await startBtcpayStandIn({ storeId: 'another-store', invoicePaths: 'short' })
    const foreign = createBtcpayGateway({ ...standIn.settings, url: other.url })
    const theirs = await createBtcpayGateway(other.settings).createInvoice(REQUEST)
    expect(await observe(foreign, theirs.gatewayInvoiceId)).toBeNull()
    expect(await observe(foreign, gatewayInvoiceId)).toBeNull()
    await other.stop()
  })

  test('does not take one invoice for another, whichever its server returns', async () => {
    const gateway = await start()
    const { gatewayInvoiceId: paid } = await gateway.createInvoice(REQUEST)
    standIn.invoice(paid).pay(100n, true)
    const cache = await startJsonServer({
      answer: async ({ path, headers }) => {
        const [, rest = ''] = /\/invoices\/[^/]+(.*)$/.exec(path) ?? []
        const url = `${standIn.url}/api/v1/stores/${standIn.settings.storeId}/invoices/${paid}${rest}`
        const answer = await fetch(url, { headers: { authorization: String(headers.authorization) } })
        return { status: answer.status, body: await answer.json() }
      },
    })
    const confused = createBtcpayGateway({ ...standIn.settings, url: cache.url })
    expect(await observe(confused, paid)).toMatchObject({ state: 'Settled' })
    expect(await observe(confused, 'another')).toBeNull()
    await cache.stop()
  })

  test('has made no invoice if the server returns that of another order', async () => {
    await start()
    const proxy = await startLyingProxy(standIn.url)
    const confused = createBtcpayGateway({ ...standIn.settings, url: proxy.url })
    expect(await confused.createInvoice(REQUEST)).toMatchObject({ checkoutUrl: expect.any(String) })
    proxy.lie(text => text.replaceAll(REQUEST.invoiceId, 'another'))
    await expect(confused.createInvoice(REQUEST)).rejects.toThrow('another invoice')
    await proxy.stop()
  })

  test('throws a GatewayError when the server is down, refuses, or knows no rate', async () => {
    const gateway = await start()
    standIn.setDown(true)
    await expect(gateway.createInvoice(REQUEST)).rejects.toThrow(GatewayError)
    await expect(observe(gateway, 'any')).rejects.toThrow(GatewayError)
    await expect(gateway.getUsdPerBitcoin()).rejects.toThrow(GatewayError)
    standIn.setDown(false)
    const stranger = createBtcpayGateway({ ...standIn.settings, apiKey: 'wrong' })
    await expect(stranger.createInvoice(REQUEST)).rejects.toThrow(GatewayError)
  })

  test('logs which permission its API key lacks for reading the rate', async () => {
    const log = listenToLog()
    const gateway = await start()
    standIn.setMayViewStoreSettings(false)
    await expect(gateway.getUsdPerBitcoin()).rejects.toThrow(GatewayError)
    await expect(gateway.getUsdPerBitcoin({ fresh: true })).rejects.toThrow(GatewayError)
    expect(log.messages()).toEqual([expect.stringContaining('btcpay.store.canviewstoresettings')])
    log.stop()
  })

  test('reads the store’s own rate', async () => {
    const gateway = await start()
    expect(await gateway.getUsdPerBitcoin()).toEqual(decimal('64392.23'))
  })

  test('takes the invoice id from a signed event, and ignores any other event', async () => {
    const gateway = await start()
    const notice = (rawBody: string, headers: Record<string, string>) =>
      gateway.verifyWebhook?.({ rawBody: new TextEncoder().encode(rawBody), headers: new Headers(headers) })
    const settled = standIn.webhook('InvoiceSettled', 'KRC5')
    expect(await notice(settled.rawBody, settled.headers)).toEqual({ gatewayInvoiceId: 'KRC5', totals: null })
    expect(await notice(settled.rawBody, {})).toBeNull()
    const forged = standIn.webhook('InvoiceSettled', 'KRC5', 'guess')
    expect(await notice(forged.rawBody, forged.headers)).toBeNull()
    const unset = createBtcpayGateway({ ...standIn.settings, webhookSecret: '' })
    const empty = standIn.webhook('InvoiceSettled', 'KRC5', '')
    expect(
      await unset.verifyWebhook?.({
        rawBody: new TextEncoder().encode(empty.rawBody),
        headers: new Headers(empty.headers),
      }),
    ).toBeNull()
  })
})

describe('a server that redirects', () => {
  let url: string
  let stop: () => Promise<void>
  let followed = 0
  const server = createServer((request, response) => {
    if (request.url === '/elsewhere') followed += 1
    response.writeHead(302, { location: '/elsewhere' }).end()
  })
  beforeEach(async () => {
    const { port, stop: close } = await listen(server)
    url = `http://127.0.0.1:${port}`
    stop = close
  })
  afterEach(() => stop())

  test('is not followed, so it does not receive our API key', async () => {
    const gateway = createBtcpayGateway({ url, storeId: 'store', apiKey: 'key', webhookSecret: 'secret' })
    await expect(gateway.createInvoice(REQUEST)).rejects.toThrow(GatewayError)
    expect(followed).toBe(0)
  })
})
