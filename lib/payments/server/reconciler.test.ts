import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import type { Ledger } from '@/lib/ledger/domain/ledger'
import type { Payments } from '../domain/payments'
import { startReconciler } from './reconciler'

const INTERVAL_MS = 10_000

describe('the reconciler of a server that runs by itself', () => {
  const reconcile = jest.fn<Payments['reconcile']>()
  const sweep = jest.fn<Ledger['sweep']>()
  let stderr: { mockRestore: () => void }

  beforeEach(() => {
    jest.useFakeTimers()
    reconcile.mockReset().mockResolvedValue({ checkedCount: 0, failedCount: 0, creditedNano: 0n })
    sweep.mockReset().mockResolvedValue({ releasedHoldIds: [], settledHoldIds: [] })
    stderr = jest.spyOn(process.stderr, 'write').mockReturnValue(true)
  })
  afterEach(() => {
    stderr.mockRestore()
    jest.useRealTimers()
  })

  const start = () => startReconciler({ payments: { reconcile }, ledger: { sweep }, intervalMs: INTERVAL_MS })

  test('reconciles and sweeps at each interval', async () => {
    const { stop } = start()
    expect(reconcile).not.toHaveBeenCalled()
    await jest.advanceTimersByTimeAsync(3 * INTERVAL_MS)
    expect(reconcile).toHaveBeenCalledTimes(3)
    expect(sweep).toHaveBeenCalledTimes(3)
    await stop()
  })

  test('survives a run that fails', async () => {
    sweep.mockRejectedValueOnce(new Error('the database restarts'))
    const { stop } = start()
    await jest.advanceTimersByTimeAsync(2 * INTERVAL_MS)
    expect(reconcile).toHaveBeenCalledTimes(1)
    await stop()
  })

  test('never runs twice at once', async () => {
    let finish = () => {}
    reconcile.mockImplementationOnce(
      () =>
        new Promise(resolve => {
          finish = () => resolve({ checkedCount: 0, failedCount: 0, creditedNano: 0n })
        }),
    )
    const { stop } = start()
    await jest.advanceTimersByTimeAsync(5 * INTERVAL_MS)
    expect(reconcile).toHaveBeenCalledTimes(1)
    finish()
    await jest.advanceTimersByTimeAsync(INTERVAL_MS)
    expect(reconcile).toHaveBeenCalledTimes(2)
    await stop()
  })

  test('runs no more once it is stopped', async () => {
    const { stop } = start()
    await jest.advanceTimersByTimeAsync(INTERVAL_MS)
    await stop()
    await jest.advanceTimersByTimeAsync(5 * INTERVAL_MS)
    expect(reconcile).toHaveBeenCalledTimes(1)
  })
})
