import { describe, expect, jest, test } from '@jest/globals'
import { createBalanceSource, REFETCH_AFTER_MS } from './balance-source'
import type { CreditAnswer } from './fetch-credit'

const CREDIT_ID = '0b0e7c9e-5d3c-4a53-9d5c-2f1d5f3f6a01'
const OTHER_ID = 'f3a0c1d2-1111-4222-8333-444455556666'

function setUp(answers: (creditId: string) => Promise<CreditAnswer>) {
  const clock = { nowMs: 1_000_000 }
  const fetchCredit = jest.fn(answers)
  const source = createBalanceSource({
    fetchCredit,
    now: () => clock.nowMs,
    onKnown: () => {},
    onUnknown: () => {},
  })
  return { clock, fetchCredit, source }
}

const recordOf = (creditId: string, amountUsd: number): CreditAnswer => ({ record: { creditId, amountUsd } })

describe('the balance source', () => {
  test('refuses a record of another credit_id', async () => {
    const { source } = setUp(async () => recordOf(OTHER_ID, 5))
    await expect(source.get(CREDIT_ID)).rejects.toThrow('Credit record could not be retrieved')
  })

  test('reports an error answer as a record that could not be retrieved', async () => {
    const { source } = setUp(async () => ({ error: 'Not Found' }))
    await expect(source.get(CREDIT_ID)).rejects.toThrow('Credit record could not be retrieved')
  })

  test('passes a failure on, and does not throttle the next attempt', async () => {
    const { source, fetchCredit } = setUp(async () => {
      throw new TypeError('Failed to fetch')
    })
    await expect(source.get(CREDIT_ID)).rejects.toThrow('Failed to fetch')
    await expect(source.get(CREDIT_ID)).rejects.toThrow('Failed to fetch')
    expect(fetchCredit).toHaveBeenCalledTimes(2)
  })

  test('skips a refetch until exactly four seconds have passed', async () => {
    const { source, fetchCredit, clock } = setUp(async id => recordOf(id, 1.5))
    await source.get(CREDIT_ID)
    clock.nowMs += REFETCH_AFTER_MS - 1
    await expect(source.get(CREDIT_ID)).resolves.toBe(1.5)
    expect(fetchCredit).toHaveBeenCalledTimes(1)
    clock.nowMs += 1
    await source.get(CREDIT_ID)
    expect(fetchCredit).toHaveBeenCalledTimes(2)
  })

  test('throttles each credit_id separately', async () => {
    const { source, fetchCredit } = setUp(async id => recordOf(id, 1))
    await source.get(CREDIT_ID)
    await source.get(OTHER_ID)
    expect(fetchCredit.mock.calls).toEqual([[CREDIT_ID], [OTHER_ID]])
  })

  test('sends a new request for an explicit refresh, and ignores the late answer of the older one', async () => {
    const answers: ((answer: CreditAnswer) => void)[] = []
    const { source, fetchCredit } = setUp(() => new Promise(resolve => answers.push(resolve)))
    const before = source.get(CREDIT_ID)
    source.resetThrottle(CREDIT_ID)
    const after = source.get(CREDIT_ID)
    answers[1]?.(recordOf(CREDIT_ID, 3.21))
    await expect(after).resolves.toBe(3.21)
    answers[0]?.(recordOf(CREDIT_ID, 0))
    await expect(before).resolves.toBe(0)
    await expect(source.get(CREDIT_ID)).resolves.toBe(3.21)
    expect(fetchCredit).toHaveBeenCalledTimes(2)
  })

  test('resets the throttle for an explicit refresh', async () => {
    const { source, fetchCredit } = setUp(async id => recordOf(id, 1))
    await source.get(CREDIT_ID)
    source.resetThrottle(CREDIT_ID)
    await source.get(CREDIT_ID)
    expect(fetchCredit).toHaveBeenCalledTimes(2)
  })

  test('shares one request between concurrent fetches', async () => {
    const { source, fetchCredit } = setUp(async id => recordOf(id, 2))
    const balances = await Promise.all([source.get(CREDIT_ID), source.get(CREDIT_ID), source.get(CREDIT_ID)])
    expect(balances).toEqual([2, 2, 2])
    expect(fetchCredit).toHaveBeenCalledTimes(1)
  })

  test('counts a balance reported by an answer as a fetch', async () => {
    const { source, fetchCredit } = setUp(async id => recordOf(id, 2))
    source.remember(CREDIT_ID, 1.25)
    await expect(source.get(CREDIT_ID)).resolves.toBe(1.25)
    expect(fetchCredit).not.toHaveBeenCalled()
  })
})
