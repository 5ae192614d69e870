import { afterEach, expect, test } from '@jest/globals'
import { getTopUp, listPaymentMethods, orderTopUp } from './top-ups'

const realFetch = globalThis.fetch
afterEach(() => {
  globalThis.fetch = realFetch
})

function answerWith(answer: unknown): void {
  globalThis.fetch = async () => Response.json(answer)
}

const CARD = { methodName: 'card', amountUsd: 5 } as const

test.each([null, 'x', {}, { supported_methods: null }])('the methods are not %j', async answer => {
  answerWith(answer)
  await expect(listPaymentMethods()).rejects.toMatchObject({ code: 'unknown' })
})

test('the methods keep the order of the server, without those that the pages have no words for', async () => {
  answerWith({ supported_methods: [{ method: 'card' }, { method: 'gold' }, { method: 'btc-lightning' }] })
  const methods = await listPaymentMethods()
  expect(methods.map(({ method }) => method)).toEqual(['card', 'btc-lightning'])
})

test.each([null, 'x', {}])('an invoice is not %j', async answer => {
  answerWith(answer)
  await expect(orderTopUp('/topup', 'c', CARD)).rejects.toMatchObject({ code: 'unknown' })
  await expect(getTopUp('/topup', 'c', 'a')).rejects.toMatchObject({ code: 'unknown' })
})

test('an invoice never leads to a checkout that is no web page', async () => {
  answerWith({ invoice_id: 'a', checkout_url: 'javascript:alert(1)' })
  expect((await orderTopUp('/topup', 'c', CARD)).checkout_url).toBeNull()
  expect((await getTopUp('/topup', 'c', 'a')).checkout_url).toBeNull()
})

test('an invoice ends by the clock of this machine, however wrong that is', async () => {
  const serverMs = Date.now() - 3_600_000
  const date = new Date(serverMs).toUTCString()
  globalThis.fetch = async () =>
    Response.json({ invoice_id: 'a', expires_at: serverMs / 1000 + 900 }, { headers: { date } })
  const { expires_at: expiresAtSeconds } = await getTopUp('/topup', 'c', 'a')
  expect(Math.abs(expiresAtSeconds - (Date.now() / 1000 + 900))).toBeLessThan(60)
})

test('an invoice is new until its status is asked for', async () => {
  answerWith({ invoice_id: 'a', checkout_url: null })
  expect((await orderTopUp('/topup/refill', 'rf', CARD)).status).toBe('New')
  answerWith({ invoice_id: 'a', checkout_url: 'https://pay.test/a', status: 'Settled' })
  expect(await getTopUp('/topup/refill', 'rf', 'a')).toMatchObject({
    status: 'Settled',
    checkout_url: 'https://pay.test/a',
  })
})
