import { getEventListeners } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import type { Checkpoint, RenewInput, SettleResult } from '@/lib/ledger/domain/holds'
import { USAGE } from '@/lib/ledger/testing'
import { NANO_MAX } from '@/lib/money/nano'
import { listenToLog } from '@/test/support/log-lines'
import { type Charge, NO_COUNTS } from '../domain/decide-charge'
import type { ExchangeContext } from './exchange-context'
import { checkpointOf, endHold, keepHold } from './holds'

const renewals: RenewInput[] = []
let log: ReturnType<typeof listenToLog>
beforeEach(() => {
  renewals.length = 0
  log = listenToLog()
  jest.useFakeTimers()
})
afterEach(() => {
  jest.useRealTimers()
  log.stop()
})

/** Keeps a hold for one renewal. */
async function renewOnce(input: { checkpoint: () => Promise<Checkpoint | null>; renews?: Error }) {
  const renew = async (asked: RenewInput) => {
    if (input.renews) throw input.renews
    renewals.push(asked)
    return { renewed: true }
  }
  const context = { ledger: { renew }, limits: { holdTtlSeconds: 60, holdRenewalIntervalMs: 1_000 } }
  const onLost = jest.fn()
  const stop = keepHold(context as unknown as ExchangeContext, {
    holdId: 'hold',
    checkpoint: input.checkpoint,
    onLost,
  })
  await jest.advanceTimersByTimeAsync(1_000)
  stop()
  expect(onLost).not.toHaveBeenCalled()
}

test('a hold is renewed even if the cost so far cannot be counted, which the log says', async () => {
  await renewOnce({ checkpoint: () => Promise.reject(new TypeError('no count')) })
  expect(renewals).toEqual([{ holdId: 'hold', ttlSeconds: 60, checkpoint: null }])
  expect(log.lines()).toMatchObject([{ exchangeId: 'hold', error: 'TypeError: no count' }])
})

test('a ledger that does not answer is logged, and asked again later', async () => {
  await renewOnce({ checkpoint: async () => null, renews: new Error('away') })
  expect(log.lines()).toMatchObject([{ exchangeId: 'hold', error: 'Error: away' }])
})

test.each([
  ['what was delivered is owed, and what is billed beyond it is lost', 100n, 250n, true, 100n, 150n],
  ['nothing is lost if no more is billed than is owed', 100n, 90n, true, 100n, 0n],
  ['all of it is lost before any output', 100n, undefined, false, 0n, 100n],
  ['as much is lost as the ledger can book', 2n * NANO_MAX, undefined, false, 0n, NANO_MAX],
])('if the process dies now, %s', (_, costNano, billedNano, isOwed, owedNano, lostNano) => {
  const about = { upstreamId: 'host', durationMs: 1, timeToFirstTokenMs: null }
  expect(checkpointOf({ costNano, billedNano, counts: NO_COUNTS }, isOwed, about)).toMatchObject({
    costNano: owedNano,
    absorbedNano: lostNano,
    usage: { estimated: isOwed, costBasis: isOwed ? 'local_count' : 'none' },
  })
})

const OWED = {
  holdId: 'hold',
  heldNano: 10n,
  charge: {
    costNano: 7n,
    absorbedNano: 0n,
    costBasis: 'upstream_cost',
    counts: NO_COUNTS,
    estimated: false,
  } satisfies Charge,
  usage: USAGE,
}

test('a ledger that does not answer gets time to come back before it is asked to settle again', async () => {
  jest.useRealTimers()
  let isBack = false
  const settle = async (): Promise<SettleResult> => {
    if (isBack) return { outcome: 'resolved', chargedNano: 7n, lossNano: 0n, balanceNano: 3n }
    void nextTurn().then(() => {
      isBack = true
    })
    throw new Error('away')
  }
  const limits = { settleRetryDelaysMs: [20, 20, 20], settleWaitMs: 60_000 }
  const context = { ledger: { settle }, limits, keepAlive: () => {}, report: () => {} }
  const ended = await endHold(context as unknown as ExchangeContext, OWED)
  expect(ended).toEqual({ chargedNano: 7n, balanceNano: 3n })
})

/** Ends a hold while the ledger does not answer, and the process goes on without it. */
async function endLate() {
  jest.useRealTimers()
  const settled = Promise.withResolvers<SettleResult>()
  const closing = new AbortController()
  const reports: string[] = []
  const kept: Promise<unknown>[] = []
  const context = {
    ledger: { settle: () => settled.promise },
    limits: { settleRetryDelaysMs: [], settleWaitMs: 0 },
    closing: closing.signal,
    keepAlive: (work: Promise<unknown>) => kept.push(work),
    report: (message: string) => reports.push(message),
  }
  expect(await endHold(context as unknown as ExchangeContext, OWED)).toMatchObject({ balanceNano: null })
  return { settled, closing, reports, kept }
}

test('a hold that is settled late leaves nothing behind that lasts as long as the process', async () => {
  const { settled, closing, reports, kept } = await endLate()
  settled.resolve({ outcome: 'resolved', chargedNano: 7n, lossNano: 0n, balanceNano: 3n })
  await Promise.all(kept)
  await nextTurn()
  expect(getEventListeners(closing.signal, 'abort')).toEqual([])
  closing.abort()
  await nextTurn()
  expect(reports).toEqual([])
})

test('a hold that is not settled before the process closes is reported as a loss, of which the sweeper may charge some', async () => {
  const { closing, reports } = await endLate()
  closing.abort(new Error('restarting'))
  await nextTurn()
  expect(reports).toEqual([expect.stringContaining('up to 0.000000007 USD of an answer will not be charged')])
})
