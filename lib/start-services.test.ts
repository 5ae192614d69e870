import { expect, jest, test } from '@jest/globals'
import { startServices } from './start-services'

/** Where lib/composition.ts keeps the process's services. */
const SERVICES_KEY = Symbol.for('tuppence.services')
const forever = () => new Promise<never>(() => {})

test('the end of the process settles what runs, however long a gateway keeps the rest waiting', async () => {
  const drain = jest.fn(async () => {})
  const services = {
    settings: { sandbox: { gateway: false }, metricsToken: null },
    ledger: { sweep: async () => ({ releasedHoldIds: [], settledHoldIds: [] }) },
    exchanges: { sweep: async () => {}, drain },
    payments: { reconcile: forever, watch: forever },
    close: async () => {},
  }
  Object.assign(globalThis, { [SERVICES_KEY]: Promise.resolve(services) })
  const close = await startServices()
  void close()
  expect(drain).toHaveBeenCalledTimes(1)
})
