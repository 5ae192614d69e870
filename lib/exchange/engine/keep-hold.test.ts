import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import type { Checkpoint, RenewInput } from '@/lib/ledger/domain/holds'
import { listenToLog } from '@/test/support/log-lines'
import type { ExchangeContext } from './exchange-context'
import { keepHold } from './holds'

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
