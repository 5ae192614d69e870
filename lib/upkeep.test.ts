import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import type { Exchanges } from './exchange/engine/exchanges'
import type { Ledger } from './ledger/domain/ledger'
import { LedgerError } from './ledger/domain/ledger-error'
import type { Payments } from './payments/domain/payments'
import { runUpkeep, startUpkeep } from './upkeep'

const INTERVAL_MS = 10_000
const NOTHING_DUE = { checkedCount: 0, failedCount: 0, creditedNano: 0n }
/** As of a database that does not answer. */
const AWAY = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })

describe('upkeep', () => {
  const reconcile = jest.fn<Payments['reconcile']>()
  const sweepHolds = jest.fn<Ledger['sweep']>()
  const sweepAnswers = jest.fn<Exchanges['sweep']>()
  const kept = {
    payments: { reconcile },
    ledger: { sweep: sweepHolds },
    exchanges: { sweep: sweepAnswers },
  }
  const write = jest.spyOn(process.stderr, 'write')
  const start = () => startUpkeep({ ...kept, intervalMs: INTERVAL_MS, sweepsAtOnce: true })

  beforeEach(() => {
    jest.useFakeTimers()
    reconcile.mockReset().mockResolvedValue(NOTHING_DUE)
    sweepHolds.mockReset().mockResolvedValue({ releasedHoldIds: ['a', 'b'], settledHoldIds: ['c'] })
    sweepAnswers.mockReset().mockResolvedValue()
    write.mockReset().mockReturnValue(true)
  })
  afterEach(() => {
    jest.useRealTimers()
  })

  test('tells what it did', async () => {
    expect(await runUpkeep(kept)).toEqual({ ...NOTHING_DUE, releasedHoldCount: 2, settledHoldCount: 1 })
  })

  test('does the rest although one part fails, and then says so', async () => {
    sweepHolds.mockRejectedValueOnce(new Error('the ledger is away'))
    await expect(runUpkeep(kept)).rejects.toThrow('the ledger is away')
    expect(sweepAnswers).toHaveBeenCalledTimes(1)
    expect(reconcile).toHaveBeenCalledTimes(1)
  })

  test('runs at the start and at each interval', async () => {
    const { stop } = start()
    expect(reconcile).toHaveBeenCalledTimes(1)
    await jest.advanceTimersByTimeAsync(3 * INTERVAL_MS)
    for (const part of [reconcile, sweepHolds, sweepAnswers]) expect(part).toHaveBeenCalledTimes(4)
    await stop()
  })

  test('reports a failure once, until a run succeeds again', async () => {
    sweepHolds.mockRejectedValue(new Error('the database is away'))
    const { stop } = start()
    await jest.advanceTimersByTimeAsync(2 * INTERVAL_MS)
    expect(write).toHaveBeenCalledTimes(1)
    expect(String(write.mock.calls[0]?.[0])).toContain('the database is away')
    sweepHolds.mockResolvedValueOnce({ releasedHoldIds: [], settledHoldIds: [] })
    await jest.advanceTimersByTimeAsync(2 * INTERVAL_MS)
    expect(write).toHaveBeenCalledTimes(2)
    await stop()
  })

  test('after an outage, holds are left to their owners for a while, counted from when it was last noticed', async () => {
    const { stop } = start()
    sweepHolds.mockRejectedValueOnce(new LedgerError('unavailable', 'The ledger did not answer.'))
    await jest.advanceTimersByTimeAsync(INTERVAL_MS)
    expect(sweepHolds).toHaveBeenCalledTimes(2)
    for (const part of [sweepAnswers, reconcile]) part.mockRejectedValue(AWAY)
    await jest.advanceTimersByTimeAsync(15 * INTERVAL_MS)
    sweepAnswers.mockResolvedValue()
    reconcile.mockResolvedValue(NOTHING_DUE)
    await jest.advanceTimersByTimeAsync(10 * INTERVAL_MS)
    expect(sweepHolds).toHaveBeenCalledTimes(2)
    await jest.advanceTimersByTimeAsync(2 * INTERVAL_MS)
    expect(sweepHolds).toHaveBeenCalledTimes(4)
    await stop()
  })

  test.each([
    ['only later where the clock jumps, as after a pause', 180_000, [1, 1, 3]],
    ['as ever where the clock is only put right', 20_000, [1, 4, 14]],
  ])('holds are ended %s', async (_when, jumpMs, sweepCounts) => {
    const { stop } = start()
    await jest.advanceTimersByTimeAsync(0)
    expect(sweepHolds).toHaveBeenCalledTimes(sweepCounts[0] ?? 0)
    jest.setSystemTime(Date.now() + jumpMs)
    await jest.advanceTimersByTimeAsync(3 * INTERVAL_MS)
    expect(sweepHolds).toHaveBeenCalledTimes(sweepCounts[1] ?? 0)
    await jest.advanceTimersByTimeAsync(10 * INTERVAL_MS)
    expect(sweepHolds).toHaveBeenCalledTimes(sweepCounts[2] ?? 0)
    await stop()
  })

  test.each([
    ['another failure', () => reconcile.mockRejectedValue(new Error('out of order'))],
    ['a part that fails alone', () => sweepAnswers.mockRejectedValue(AWAY)],
  ])('%s keeps no hold waiting', async (_what, fail) => {
    fail()
    const { stop } = start()
    await jest.advanceTimersByTimeAsync(3 * INTERVAL_MS)
    expect(sweepHolds).toHaveBeenCalledTimes(4)
    await stop()
  })

  test('never runs twice at once, and a stop waits for the run', async () => {
    const slow = Promise.withResolvers<typeof NOTHING_DUE>()
    reconcile.mockReturnValueOnce(slow.promise)
    const { stop } = start()
    await jest.advanceTimersByTimeAsync(5 * INTERVAL_MS)
    expect(reconcile).toHaveBeenCalledTimes(1)
    let isStopped = false
    const stopped = stop().then(() => {
      isStopped = true
    })
    await jest.advanceTimersByTimeAsync(0)
    expect(isStopped).toBe(false)
    slow.resolve(NOTHING_DUE)
    await stopped
    await jest.advanceTimersByTimeAsync(5 * INTERVAL_MS)
    expect(reconcile).toHaveBeenCalledTimes(1)
  })
})
