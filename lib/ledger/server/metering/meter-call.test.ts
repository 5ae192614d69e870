import { randomUUID } from 'node:crypto'
import { expect, jest, test } from '@jest/globals'
import { describeOnBothDatabases } from '@/lib/db/testing'
import { hashSecret } from '@/lib/http/credential'
import { UpstreamFailure } from '@/lib/http/upstream/upstream-failure'
import { nanoToUsdNumber } from '@/lib/money/nano'
import type { Credential, Ledger } from '../../domain/ledger'
import { createEmbeddedLedger } from '../embedded-ledger'
import type { WholeAnswer } from './call-answer'
import { createDatabaseReplayStore } from './database-replay-store'
import { hashRequest } from './hash-request'
import { type MeteredCall, meterCall } from './meter-call'
import type { MeteredReply } from './metered-reply'
import { createMetering } from './metering'

const COST_NANO = 1_000n

/** A picture, say, that tells what was charged for it. */
const ANSWER: WholeAnswer = {
  kind: 'whole',
  upstreamId: 'upstream',
  charge: { costNano: COST_NANO, costBasis: 'upstream_cost', estimated: false },
  write: ({ chargedNano, balanceNano }) => ({
    contentType: 'application/json',
    body: Buffer.from(JSON.stringify({ cost: nanoToUsdNumber(chargedNano), known: balanceNano !== null })),
  }),
}

describeOnBothDatabases('a metered call', getDatabase => {
  const real = () => createEmbeddedLedger({ database: getDatabase() })
  const open = (ledger: Ledger = real()) =>
    createMetering({
      ledger,
      replayStore: createDatabaseReplayStore({ database: getDatabase() }),
      limits: { settleRetryDelaysMs: [1, 1], holdRenewalIntervalMs: 5 },
    })

  async function createPayer(amountNano: bigint) {
    const ledger = real()
    const credential: Credential = { kind: 'credit_id', secretHash: hashSecret(randomUUID()) }
    const creditIdHash = credential.secretHash
    const { accountId } = await ledger.createAccount({ creditIdHash, firstKey: null, attribution: null })
    if (amountNano > 0n) {
      await ledger.credit({ accountId, amountNano, source: 'gateway', reference: randomUUID(), memo: {} })
    }
    return { accountId, credential }
  }

  function callBy(credential: Credential, fields: Partial<MeteredCall> = {}): MeteredCall {
    return {
      credential,
      exchange: { queryType: 'image', querySource: 'api', modelId: 'vendor/painter', priceSnapshot: {} },
      boundNano: COST_NANO,
      minimumNano: COST_NANO,
      requestHash: hashRequest('image', ['a coin']),
      idempotencyKey: null,
      signal: new AbortController().signal,
      call: async () => ANSWER,
      ...fields,
    }
  }

  const textOf = (reply: MeteredReply) => new Response(reply.body).text()
  async function statusesOf(accountId: string) {
    const all = { limit: 50, cursor: null, from: null, to: null, modelId: null, keyId: null }
    const { records } = await real().listUsage({ accountId, ...all })
    return records.map(({ status, chargedNano }) => [status, chargedNano])
  }

  test('that cannot be paid for is never made', async () => {
    const { credential } = await createPayer(COST_NANO - 1n)
    const call = jest.fn<MeteredCall['call']>()
    await expect(meterCall(open(), callBy(credential, { call }))).rejects.toMatchObject({ status: 402 })
    expect(call).not.toHaveBeenCalled()
  })

  test('by a key that has reached its limit is never made', async () => {
    const { accountId } = await createPayer(10n * COST_NANO)
    const secretHash = hashSecret(randomUUID())
    const limit = { usageLimitNano: COST_NANO - 1n, resetPeriod: 'none' as const, expiresAt: null }
    await real().createKey({ accountId, secretHash, hint: 'last', label: 'Key', ...limit })
    const failure = meterCall(open(), callBy({ kind: 'api_key', secretHash }))
    await expect(failure).rejects.toMatchObject({ code: 'key_limit_reached', status: 403 })
  })

  test('is never made while the ledger is away', async () => {
    const { credential } = await createPayer(COST_NANO)
    const away = { ...real(), hold: () => Promise.reject(new Error('the database is away')) }
    const call = jest.fn<MeteredCall['call']>()
    await expect(meterCall(open(away), callBy(credential, { call }))).rejects.toMatchObject({ status: 503 })
    expect(call).not.toHaveBeenCalled()
  })

  test('tells what was charged, which is settled before it is told', async () => {
    const { accountId, credential } = await createPayer(COST_NANO)
    const reply = await meterCall(open(), callBy(credential))
    expect(reply).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } })
    expect(await textOf(reply)).toBe('{"cost":0.000001,"known":true}')
    const holdId = reply.headers['x-exchange-id'] ?? ''
    expect(await real().getUsage({ accountId, holdId })).toMatchObject({ chargedNano: COST_NANO })
  })

  test.each([
    ['a refusal of every upstream', new UpstreamFailure('refused', 'secret'), 502],
    ['silence', new UpstreamFailure('timeout', 'secret'), 504],
    ['a mistake of ours', new TypeError('secret'), 500],
  ])('that comes to %s is released, and says nothing of its cause', async (_, failure, status) => {
    const { accountId, credential } = await createPayer(COST_NANO)
    const call = () => Promise.reject(failure)
    const error = await meterCall(open(), callBy(credential, { call })).catch(reason => reason)
    expect(error).toMatchObject({ status })
    expect(JSON.stringify(error.toBody())).not.toContain('secret')
    expect(await statusesOf(accountId)).toEqual([['failed', 0n]])
  })

  test('that blames the request is answered so again, without asking the upstream', async () => {
    const { credential } = await createPayer(COST_NANO)
    const call = jest.fn<MeteredCall['call']>(async () => {
      throw new UpstreamFailure('client_fault', 'No such size.', { status: 400, param: 'size' })
    })
    const input = callBy(credential, { call, idempotencyKey: randomUUID() })
    await expect(meterCall(open(), input)).rejects.toMatchObject({ status: 400, param: 'size' })
    const again = await meterCall(open(), input)
    expect(again.status).toBe(400)
    expect(await textOf(again)).toContain('No such size.')
    expect(call).toHaveBeenCalledTimes(1)
  })

  test('that failed may be tried again with its key; that succeeded is not made again', async () => {
    const { accountId, credential } = await createPayer(COST_NANO)
    const idempotencyKey = randomUUID()
    const call = () => Promise.reject(new UpstreamFailure('refused', 'no'))
    await expect(meterCall(open(), callBy(credential, { call, idempotencyKey }))).rejects.toMatchObject({
      status: 502,
    })
    const first = await meterCall(open(), callBy(credential, { idempotencyKey }))
    const again = await meterCall(open(), callBy(credential, { call, idempotencyKey }))
    expect(again.headers).toEqual(first.headers)
    expect(await textOf(again)).toBe(await textOf(first))
    expect(await statusesOf(accountId)).toEqual([
      ['completed', COST_NANO],
      ['failed', 0n],
    ])
  })

  test('is its owner’s: another account’s same key is another call', async () => {
    const idempotencyKey = randomUUID()
    const [one, other] = [await createPayer(COST_NANO), await createPayer(COST_NANO)]
    const replies = [
      await meterCall(open(), callBy(one.credential, { idempotencyKey })),
      await meterCall(open(), callBy(other.credential, { idempotencyKey })),
    ]
    expect(new Set(replies.map(({ headers }) => headers['x-exchange-id'])).size).toBe(2)
  })

  test('whose client left when the upstream had delivered is paid, and kept for the retry', async () => {
    const { accountId, credential } = await createPayer(COST_NANO)
    const client = new AbortController()
    const idempotencyKey = randomUUID()
    const call = async () => {
      client.abort()
      return ANSWER
    }
    await meterCall(open(), callBy(credential, { call, signal: client.signal, idempotencyKey }))
    expect(await statusesOf(accountId)).toEqual([['disconnected', COST_NANO]])
    const again = await meterCall(open(), callBy(credential, { idempotencyKey }))
    expect(await textOf(again)).toContain('"cost":0.000001')
  })

  test('of a client that has already left is not made', async () => {
    const { accountId, credential } = await createPayer(COST_NANO)
    const call = jest.fn<MeteredCall['call']>()
    const input = callBy(credential, { call, signal: AbortSignal.abort() })
    await expect(meterCall(open(), input)).rejects.toMatchObject({ status: 409 })
    expect(call).not.toHaveBeenCalled()
    expect(await statusesOf(accountId)).toEqual([['disconnected', 0n]])
  })

  test('ends when its hold was given back meanwhile', async () => {
    const { credential } = await createPayer(COST_NANO)
    const metering = open({ ...real(), renew: async () => ({ renewed: false }) })
    const call: MeteredCall['call'] = ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    await expect(meterCall(metering, callBy(credential, { call }))).rejects.toMatchObject({
      code: 'ledger_unavailable',
    })
  })

  test('is settled by a later attempt when the ledger was away, and answers without a balance', async () => {
    const { accountId, credential } = await createPayer(COST_NANO)
    const ledger = real()
    let left = 2
    const flaky: Ledger = {
      ...ledger,
      settle: input => {
        left -= 1
        return left >= 0 ? Promise.reject(new Error('the database is away')) : ledger.settle(input)
      },
    }
    expect(await textOf(await meterCall(open(flaky), callBy(credential)))).toContain('"known":true')
    expect(await statusesOf(accountId)).toEqual([['completed', COST_NANO]])
    left = 1_000
    const away = await createPayer(COST_NANO)
    expect(await textOf(await meterCall(open(flaky), callBy(away.credential)))).toContain('"known":false')
  })
})

test('requests are the same only where every part of them is', () => {
  const hash = (parts: string[]) => hashRequest('image', parts)
  expect(hash(['ab', 'c'])).toBe(hash(['ab', 'c']))
  expect(hash(['ab', 'c'])).not.toBe(hash(['a', 'bc']))
  expect(hash(['ab'])).not.toBe(hashRequest('speech', ['ab']))
  expect(hash(['a\n1\nb'])).not.toBe(hash(['a', 'b']))
})
