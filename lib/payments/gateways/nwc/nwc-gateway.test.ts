import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { NANO_PER_USD } from '@/lib/money/nano'
import { startJsonServer } from '@/test/stand-ins/json-server'
import { startWalletStandIn } from '@/test/stand-ins/wallet'
import { type Gateway, GatewayError, type GatewayInvoiceRequest } from '../../domain/gateway'
import { countObservation, decimal } from '../../server/testing'
import { receivedPaymentHash } from './nwc-client'
import { createNwcGateway } from './nwc-gateway'

const REQUEST: GatewayInvoiceRequest = {
  invoiceId: 'f6b5c2a0-1111-4222-8333-444455556666',
  methodId: 'btc-lightning',
  amountNano: NANO_PER_USD,
  requested: { amount: decimal('1'), currency: 'USD' },
  expirySeconds: 900,
  returnUrl: 'https://site.test/top-up',
}

describe('a wallet over Nostr Wallet Connect', () => {
  let nowSeconds = 1_763_600_000
  let wallet: Awaited<ReturnType<typeof startWalletStandIn>>
  let rates: Awaited<ReturnType<typeof startJsonServer>>
  let gateway: Gateway
  beforeAll(async () => {
    wallet = await startWalletStandIn({ now: () => nowSeconds })
    const body = { data: { amount: '85240.10', base: 'BTC', currency: 'USD' } }
    rates = await startJsonServer({ answer: () => ({ status: 200, body }) })
    gateway = createNwcGateway({
      nwcUrl: wallet.nwcUrl,
      rateUrl: rates.url,
      description: 'Tuppence credit',
    })
  })
  afterAll(async () => {
    await wallet.stop()
    await rates.stop()
  })
  const observe = async (gatewayInvoiceId: string, bitcoinDue = decimal('0.00001174')) => {
    const asked = { amountNano: NANO_PER_USD, bitcoinDue }
    const observation = await gateway.fetchInvoice({ gatewayInvoiceId, ...asked })
    return observation && countObservation(observation, { ...asked, usdPerBitcoin: decimal('85240.10') })
  }

  test('makes an invoice over the dollars at the current rate, rounded up to a satoshi', async () => {
    const created = await gateway.createInvoice(REQUEST)
    expect(created).toMatchObject({
      lightningInvoice: expect.stringMatching(/^lnbc/),
      // 1 / 85240.10 is 0.0000117315…
      bitcoinDue: decimal('0.00001174'),
      expiresAt: new Date((nowSeconds + 900) * 1000),
    })
    expect(wallet.transaction(created.gatewayInvoiceId)).toMatchObject({
      amount: 1_174_000,
      description: 'Tuppence credit',
    })
  })

  test('asks for exactly the satoshis that were ordered', async () => {
    const requested = { amount: decimal('1500'), currency: 'SATS' } as const
    const created = await gateway.createInvoice({ ...REQUEST, requested })
    expect(wallet.transaction(created.gatewayInvoiceId).amount).toBe(1_500_000)
  })

  test('reports an invoice as unpaid, then as paid', async () => {
    const { gatewayInvoiceId } = await gateway.createInvoice(REQUEST)
    expect(await observe(gatewayInvoiceId)).toMatchObject({ state: 'New', paidNano: 0n })
    wallet.pay(gatewayInvoiceId)
    expect(await observe(gatewayInvoiceId)).toMatchObject({ state: 'Settled', paidNano: NANO_PER_USD })
  })

  test('may omit the invoice in its report of a payment, and nothing is printed about it', async () => {
    const { gatewayInvoiceId } = await gateway.createInvoice(REQUEST)
    wallet.transaction(gatewayInvoiceId).invoice = ''
    wallet.pay(gatewayInvoiceId)
    const printed = jest.spyOn(console, 'error').mockImplementation(() => {})
    expect(await observe(gatewayInvoiceId)).toMatchObject({ state: 'Settled', paidNano: NANO_PER_USD })
    expect(printed).not.toHaveBeenCalled()
    printed.mockRestore()
  })

  test('is not believed when it answers about another invoice, which is paid', async () => {
    const [asked, paid] = [await gateway.createInvoice(REQUEST), await gateway.createInvoice(REQUEST)]
    wallet.pay(paid.gatewayInvoiceId)
    Object.assign(
      wallet.transaction(asked.gatewayInvoiceId),
      structuredClone(wallet.transaction(paid.gatewayInvoiceId)),
    )
    await expect(observe(asked.gatewayInvoiceId)).rejects.toThrow('another invoice than requested')
  })

  test('reports an overpayment', async () => {
    const { gatewayInvoiceId } = await gateway.createInvoice(REQUEST)
    wallet.pay(gatewayInvoiceId, 2 * 1_174_000)
    expect(await observe(gatewayInvoiceId)).toMatchObject({ state: 'Settled', paidNano: 2n * NANO_PER_USD })
  })

  test('reports a late payment', async () => {
    const { gatewayInvoiceId } = await gateway.createInvoice(REQUEST)
    nowSeconds += 901
    wallet.pay(gatewayInvoiceId)
    expect(await observe(gatewayInvoiceId)).toMatchObject({ paidNano: NANO_PER_USD, paidLate: true })
  })

  test('asks LNbits and Minibits, which call an unpaid invoice settled, whether they list it', async () => {
    const [paid, expired] = [await gateway.createInvoice(REQUEST), await gateway.createInvoice(REQUEST)]
    wallet.pay(paid.gatewayInvoiceId)
    wallet.expire(expired.gatewayInvoiceId)
    wallet.setUntold({ mayList: true })
    expect(await observe(paid.gatewayInvoiceId)).toMatchObject({ state: 'Settled', paidNano: NANO_PER_USD })
    expect(await observe(expired.gatewayInvoiceId)).toMatchObject({ state: 'New', paidNano: 0n })
    wallet.setUntold({ mayList: false })
    await expect(observe(paid.gatewayInvoiceId)).rejects.toThrow('RESTRICTED')
    wallet.setUntold(null)
  })

  test('finds a payment that the wallet made to itself, of which it shows the outgoing side', async () => {
    const { gatewayInvoiceId } = await gateway.createInvoice(REQUEST)
    wallet.payItself(gatewayInvoiceId)
    expect(await observe(gatewayInvoiceId)).toMatchObject({ state: 'Settled', paidNano: NANO_PER_USD })
  })

  test('notifies of payments while it is watched', async () => {
    const { gatewayInvoiceId } = await gateway.createInvoice(REQUEST)
    const heard = jest.fn<(paymentHash: string) => void>()
    const told = new Promise<void>(resolve => {
      heard.mockImplementation(() => resolve())
    })
    const stop = await gateway.watch?.(heard)
    // The relay only delivers what is published after it accepted the subscription.
    await observe(gatewayInvoiceId)
    wallet.pay(gatewayInvoiceId)
    await wallet.notify(gatewayInvoiceId)
    await told
    stop?.()
    expect(heard).toHaveBeenCalledWith(gatewayInvoiceId)
  })

  test.each([5, null, {}])('ignores a notification with the payment hash %j', payment_hash => {
    const told = { notification_type: 'payment_received', notification: { payment_hash } }
    expect(receivedPaymentHash(told as never)).toBeNull()
  })

  test('is asked over a new connection after the relay stopped answering on the old one', async () => {
    const quiet = jest.spyOn(console, 'error').mockImplementation(() => {})
    const { gatewayInvoiceId } = await gateway.createInvoice(REQUEST)
    wallet.pay(gatewayInvoiceId)
    wallet.forgetAskers()
    await expect(observe(gatewayInvoiceId)).rejects.toThrow(GatewayError)
    expect(await observe(gatewayInvoiceId)).toMatchObject({ state: 'Settled' })
    quiet.mockRestore()
  })

  test('is asked over a new connection each time, where the process may be frozen in between', async () => {
    const own = await startWalletStandIn({ now: () => nowSeconds })
    const freezable = createNwcGateway({
      nwcUrl: own.nwcUrl,
      rateUrl: rates.url,
      description: 'Tuppence credit',
      closesWhenIdle: true,
    })
    const asked = { amountNano: NANO_PER_USD, bitcoinDue: decimal('0.00001174') }
    const [{ gatewayInvoiceId }, other] = await Promise.all([
      freezable.createInvoice(REQUEST),
      freezable.createInvoice(REQUEST),
    ])
    for (const each of [gatewayInvoiceId, other.gatewayInvoiceId, gatewayInvoiceId]) {
      own.forgetAskers()
      expect(await freezable.fetchInvoice({ gatewayInvoiceId: each, ...asked })).not.toBeNull()
    }
    await own.stop()
  })

  test.each([{ sealed: '' }, { sealed: 'no encryption' }, { clear: 'no JSON' }, { clear: 'null' }])(
    'fails at once, and ends no process, if it answers %j',
    async spoiled => {
      const { gatewayInvoiceId } = await gateway.createInvoice(REQUEST)
      wallet.setSpoiled(spoiled)
      await expect(observe(gatewayInvoiceId)).rejects.toThrow('The Lightning wallet gave no usable answer')
      wallet.setSpoiled(null)
      expect(await observe(gatewayInvoiceId)).toMatchObject({ state: 'New' })
    },
  )

  test('does not find an invoice with an unknown id', async () => {
    expect(await observe('0'.repeat(64))).toBeNull()
  })

  test('accepts no webhooks', async () => {
    expect(gateway.verifyWebhook).toBeUndefined()
  })
})
