import { describe, expect, test } from '@jest/globals'
import type { SweepResult } from '@/lib/ledger/domain/holds'
import { startSweeper } from './sweeper'

const HOUR_MS = 3_600_000

describe('the sweeper', () => {
  test('reports a fault once, until a turn succeeds again', async () => {
    const reports: string[] = []
    let broken = true
    const ledger = {
      sweep: async () => {
        if (broken) throw new Error('the database is away')
        return { releasedHoldIds: [], settledHoldIds: [] }
      },
    }
    const sweeper = startSweeper({
      ledger,
      exchanges: { sweep: async () => {} },
      intervalMs: HOUR_MS,
      report: text => reports.push(text),
    })
    await sweeper.sweep()
    await sweeper.sweep()
    expect(reports).toEqual(['the sweeper failed: the database is away'])
    broken = false
    await sweeper.sweep()
    broken = true
    await sweeper.sweep()
    expect(reports).toHaveLength(2)
    sweeper.stop()
  })

  test('sweeps holds and answers, one turn at a time', async () => {
    const turn = Promise.withResolvers<SweepResult>()
    const calls: string[] = []
    const ledger = {
      sweep: () => {
        calls.push('holds')
        return turn.promise
      },
    }
    const exchanges = {
      sweep: async () => {
        calls.push('answers')
      },
    }
    const sweeper = startSweeper({ ledger, exchanges, intervalMs: HOUR_MS })
    const both = Promise.all([sweeper.sweep(), sweeper.sweep()])
    turn.resolve({ releasedHoldIds: [], settledHoldIds: [] })
    await both
    expect(calls).toEqual(['holds', 'answers'])
    sweeper.stop()
  })
})
