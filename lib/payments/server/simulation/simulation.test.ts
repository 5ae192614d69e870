import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import type { Database } from '@/lib/db/database'
import { openDatabaseAt } from '@/lib/db/open-database'
import { describeOnPostgres } from '@/lib/db/testing'
import { randomNumbers } from '@/test/support/random-numbers'
import { audit } from './audit'
import { type FakeClock, installFakeClock } from './fake-clock'
import { simulateHour } from './hour'
import { createWorld } from './world'

/** `PAYMENTS_SIMULATION_RUNS=200` runs longer; `PAYMENTS_SIMULATION_SEED` repeats a particular run. */
const RUN_COUNT = Number(process.env.PAYMENTS_SIMULATION_RUNS ?? '3')
/** Each run takes a few seconds on an idle machine. */
const RUN_TIMEOUT_MS = 120_000

describeOnPostgres('payments', (_getDatabase, getUrl) =>
  describe('in a random hour', () => {
    let clock: FakeClock
    let database: Database
    beforeAll(async () => {
      clock = await installFakeClock(getUrl())
      database = await openDatabaseAt(clock.url)
    })
    afterAll(async () => {
      await database.close()
      await clock.close()
    })

    test(
      'are credited once, refunds are taken back once, and the books balance',
      async () => {
        const stderr = jest.spyOn(process.stderr, 'write').mockReturnValue(true)
        let invoiceCount = 0
        for (let run = 0; run < RUN_COUNT; run += 1) {
          const { seed, nextBelow } = randomNumbers(process.env.PAYMENTS_SIMULATION_SEED)
          const world = await createWorld(database, clock)
          try {
            await simulateHour(world, nextBelow)
            await audit(world)
          } catch (error) {
            throw new Error(`PAYMENTS_SIMULATION_SEED=${seed}: ${error}`, { cause: error })
          } finally {
            await world.close()
          }
          invoiceCount += world.invoices.length
        }
        stderr.mockRestore()
        expect(invoiceCount).toBeGreaterThan(RUN_COUNT)
      },
      RUN_COUNT * RUN_TIMEOUT_MS,
    )
  }),
)
