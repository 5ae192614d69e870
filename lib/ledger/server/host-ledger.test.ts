import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { createHostClient } from '@/lib/host-mode/server/host-client'
import { holdTimeouts, TestHost } from '@/lib/host-mode/testing'
import { LEDGER_CONTRACT } from '../domain/ledger'
import { receiptOf } from '../domain/receipts'
import { EXCHANGE, hashOf, holdInput, USAGE } from '../testing'

const HOLD_ID = '00000000-0000-4000-8000-00000000aaaa'
const credential = { kind: 'credit_id', secretHash: hashOf('someone') } as const
const unavailable = { name: 'LedgerError', code: 'unavailable' }

describe('an unreliable payments host', () => {
  const host = new TestHost()
  const ledger = () =>
    createHostClient(LEDGER_CONTRACT, { baseUrl: host.baseUrl, token: 'token', timeoutMs: 20_000 })
  const answerWith = (status: number, body: string) => {
    host.answer = (_request, response) => response.writeHead(status).end(body)
  }
  const getBalance = () => ledger().getBalance({ credential })
  const settle = () => ledger().settle({ holdId: HOLD_ID, costNano: 10n, usage: USAGE })

  beforeAll(() => host.start())
  afterAll(() => host.stop())
  beforeEach(() => {
    host.requestCount = 0
  })
  afterEach(() => {
    jest.restoreAllMocks()
  })

  const balance = {
    accountId: 'a',
    keyId: null,
    balanceNano: '1',
    heldNano: '0',
    availableNano: '1',
    debtNano: '0',
  }
  test.each([
    ['nothing', ''],
    ['something other than JSON', '<html></html>'],
    ['JSON of another shape', '{"balance": 1}'],
    ['a negative debt', JSON.stringify({ ...balance, debtNano: '-1' })],
    ['a negative balance', JSON.stringify({ ...balance, balanceNano: '-1' })],
    ['a balance as a number', JSON.stringify({ ...balance, balanceNano: 1 })],
    ['a fraction', JSON.stringify({ ...balance, balanceNano: '1.5' })],
    ['too many digits', JSON.stringify({ ...balance, balanceNano: '9'.repeat(400) })],
  ])('is rejected when it answers %s', async (_name, body) => {
    answerWith(200, body)
    await expect(getBalance()).rejects.toMatchObject(unavailable)
  })

  test('is accepted when its answer meets the contract', async () => {
    answerWith(200, JSON.stringify(balance))
    expect(await getBalance()).toEqual({
      ...balance,
      balanceNano: 1n,
      heldNano: 0n,
      availableNano: 1n,
      debtNano: 0n,
    })
  })

  test('is accepted when it holds only the least amount, at its own risk', async () => {
    answerWith(
      200,
      JSON.stringify({ outcome: 'held', holdId: HOLD_ID, accountId: 'a', keyId: null, amountNano: '4' }),
    )
    const asked = holdInput(credential, 100n, { minimumNano: 10n, leastNano: 4n })
    expect(await ledger().hold(asked)).toMatchObject({ amountNano: 4n })
    await expect(ledger().hold({ ...asked, leastNano: 5n })).rejects.toMatchObject(unavailable)
  })

  test.each(['9', '101'])(
    'is rejected when it holds %s although 10 to 100 were requested',
    async amountNano => {
      answerWith(
        200,
        JSON.stringify({ outcome: 'held', holdId: HOLD_ID, accountId: 'a', keyId: null, amountNano }),
      )
      await expect(ledger().hold(holdInput(credential, 100n, { minimumNano: 10n }))).rejects.toMatchObject(
        unavailable,
      )
    },
  )

  test('is rejected when it charges an amount other than the cost', async () => {
    answerWith(200, '{"outcome":"resolved","chargedNano":"11","lossNano":"0","balanceNano":"5"}')
    await expect(settle()).rejects.toMatchObject(unavailable)
    answerWith(200, '{"outcome":"resolved","chargedNano":"7","lossNano":"3","balanceNano":"5"}')
    expect(await settle()).toMatchObject({ chargedNano: 7n, lossNano: 3n })
    answerWith(200, '{"outcome":"resolved","chargedNano":"1","lossNano":"0","balanceNano":"5"}')
    await expect(ledger().release({ holdId: HOLD_ID, usage: USAGE })).rejects.toMatchObject(unavailable)
  })

  test('is accepted when it books exactly the absorbed amount, and rejected otherwise', async () => {
    const absorb = (absorbedNano: bigint) => ledger().release({ holdId: HOLD_ID, absorbedNano, usage: USAGE })
    answerWith(200, '{"outcome":"resolved","chargedNano":"0","lossNano":"3","balanceNano":"5"}')
    expect(await absorb(3n)).toMatchObject({ chargedNano: 0n, lossNano: 3n })
    await expect(absorb(2n)).rejects.toMatchObject(unavailable)
    const costly = { holdId: HOLD_ID, costNano: 2n, absorbedNano: 1n, usage: USAGE }
    expect(await ledger().settle(costly)).toMatchObject({ lossNano: 3n })
  })

  test.each([
    ['of this version', {}],
    ['of a newer one', { more: 'than is known here' }],
  ])('is rejected when its receipt %s is for another call', async (_version, more) => {
    const usage = {
      ...USAGE,
      ...EXCHANGE,
      keyId: null,
      heldNano: 1n,
      chargedNano: 1n,
      createdAt: new Date(0),
    }
    const iss = 'https://site.test'
    const priceVersion = `sha256:${hashOf('prices')}`
    const told = { ...receiptOf({ ...usage, holdId: HOLD_ID }, { iss, priceVersion }), ...more }
    answerWith(
      200,
      JSON.stringify({ jws: `e30.${Buffer.from(JSON.stringify(told)).toString('base64url')}.AA` }),
    )
    const sign = (holdId: string) => ledger().signReceipt({ accountId: 'a', keyId: null, holdId, iss })
    expect(await sign(HOLD_ID)).toMatchObject({ jws: expect.any(String) })
    await expect(sign('another')).rejects.toMatchObject(unavailable)
  })

  test.each([401, 404, 500, 502])('is unavailable when it answers with status %s', async status => {
    answerWith(status, '{"error":{"code":"other"}}')
    await expect(getBalance()).rejects.toMatchObject(unavailable)
  })

  test('passes its own typed errors on', async () => {
    answerWith(404, '{"error":{"code":"unknown_account"}}')
    await expect(getBalance()).rejects.toMatchObject({ code: 'unknown_account' })
  })

  test('is unavailable when it is slow, without a second request', async () => {
    const { timeout, runOut } = holdTimeouts()
    host.answer = runOut
    await expect(getBalance()).rejects.toMatchObject(unavailable)
    expect(host.requestCount).toBe(1)
    expect(timeout.mock.calls).toEqual([[20_000]])
  })

  test('is unavailable when it redirects, and the redirect is not followed', async () => {
    host.answer = (request, response) =>
      request.url === '/elsewhere'
        ? response.end(JSON.stringify(balance))
        : response.writeHead(307, { location: '/elsewhere' }).end()
    await expect(getBalance()).rejects.toMatchObject(unavailable)
  })

  test('is asked a second time when the connection breaks, except for a hold', async () => {
    host.answer = (request, response) => {
      if (host.requestCount === 1) request.socket.destroy()
      else response.end(JSON.stringify(balance))
    }
    expect(await getBalance()).toMatchObject({ accountId: 'a' })
    host.requestCount = 0
    await expect(ledger().hold(holdInput(credential, 1n))).rejects.toMatchObject(unavailable)
    expect(host.requestCount).toBe(1)
  })

  test('is unavailable when it is down', async () => {
    const nowhere = createHostClient(LEDGER_CONTRACT, { baseUrl: 'http://127.0.0.1:1', token: 'token' })
    await expect(nowhere.getBalance({ credential })).rejects.toMatchObject(unavailable)
  })
})
