import { beforeAll, beforeEach, expect, jest, test } from '@jest/globals'
import { describeOnPostgres } from '@/lib/db/testing'
import { hashSecret } from '@/lib/http/credential'
import type { Credential } from '@/lib/ledger/domain/accounts'
import { createEmbeddedLedger } from '@/lib/ledger/server/embedded-ledger'
import { openHold, USAGE } from '@/lib/ledger/testing'
import { creditIdStore } from '@/lib/local/credit-id'
import { creditReplacementStore } from '@/lib/local/credit-replacement'
import { createUuid } from '@/lib/local/uuid'
import { answerApi } from '@/test/support/answer-api'
import { finishReplacement, prepareReplacement, replaceCredit } from './replace-leaked-credit'

const services = jest.fn<() => Promise<unknown>>()
jest.unstable_mockModule('@/lib/composition', () => ({ services }))

const USD = 1_000_000_000n

/** The browser's own steps, against the ledger: what the connection does between the two is each test's. */
describeOnPostgres('a leaked credit', getDatabase => {
  let ledger: ReturnType<typeof createEmbeddedLedger>
  let oldId: string
  let accountId: string
  /** Called for each merge, with what sends it; throws as a browser without a network does. */
  let onMerge: (send: () => Promise<Response>) => Promise<Response>

  beforeAll(() => {
    ledger = createEmbeddedLedger({ database: getDatabase() })
    const settings = { paymentsHost: null, servesAsHostToken: null }
    services.mockResolvedValue({ ledger, settings, rateLimits: { take: async () => undefined } })
    globalThis.fetch = async (path, init) => {
      if (path === '/topup/refill/link')
        return Response.json({ error: { code: 'not_found' } }, { status: 404 })
      const send = () => answerApi(new Request(`https://site.test${path}`, init))
      return path === '/accounts/merge' ? onMerge(send) : send()
    }
  })
  beforeEach(async () => {
    creditReplacementStore.remove()
    onMerge = send => send()
    oldId = createUuid()
    const account = { creditIdHash: hashSecret(oldId), firstKey: null, attribution: null }
    accountId = (await ledger.createAccount(account)).accountId
    await pay(3n * USD)
    creditIdStore.write(oldId)
    await prepareReplacement(oldId)
  })

  const credentialOf = (creditId: string): Credential => ({
    kind: 'credit_id',
    secretHash: hashSecret(creditId),
  })
  const balanceOf = async (creditId: string) =>
    (await ledger.getBalance({ credential: credentialOf(creditId) }))?.balanceNano ?? null
  const newId = () => creditIdStore.getSnapshot() ?? ''
  const state = () => creditReplacementStore.getSnapshot()?.state
  const pay = (amountNano: bigint, askedAt?: Date) =>
    ledger.credit({ accountId, amountNano, source: 'gateway', reference: createUuid(), memo: {}, askedAt })

  test('is emptied into the new one', async () => {
    await replaceCredit()
    expect([await balanceOf(oldId), await balanceOf(newId()), state()]).toEqual([null, 3n * USD, 'done'])
    expect(newId()).not.toBe(oldId)
  })

  test('loses nothing, and moves nothing twice, if the answer to the move is lost', async () => {
    onMerge = async send => {
      await send()
      throw new TypeError('Failed to fetch')
    }
    await expect(replaceCredit()).rejects.toMatchObject({ code: 'network' })
    expect([await balanceOf(newId()), state()]).toEqual([3n * USD, 'moving'])
    onMerge = send => send()
    await finishReplacement()
    expect([await balanceOf(oldId), await balanceOf(newId()), state()]).toEqual([null, 3n * USD, 'done'])
  })

  test('gives the rest when the running answer has ended, and payments that were on their way', async () => {
    const orderedAt = new Date(Date.now() - 60_000)
    const holdId = await openHold(ledger, credentialOf(oldId), USD)
    await expect(replaceCredit()).rejects.toMatchObject({ code: 'credit_in_use' })
    expect([await balanceOf(oldId), await balanceOf(newId()), state()]).toEqual([null, 2n * USD, 'moving'])
    await ledger.release({ holdId, usage: USAGE })
    await finishReplacement()
    expect([await balanceOf(oldId), await balanceOf(newId()), state()]).toEqual([null, 3n * USD, 'done'])
    await pay(5n * USD, orderedAt)
    expect([await balanceOf(oldId), await balanceOf(newId())]).toEqual([null, 8n * USD])
  })

  test('takes its debt along', async () => {
    const reversal = { accountId, source: 'gateway', reference: createUuid(), memo: {} } as const
    await ledger.reverse({ ...reversal, amountNano: 4n * USD })
    await replaceCredit()
    expect((await ledger.getBalance({ credential: credentialOf(newId()) }))?.debtNano).toBe(USD)
  })
})
