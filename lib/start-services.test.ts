import { expect, jest, test } from '@jest/globals'
import { provideServices } from '@/test/support/serve-api'
import { processRateLimits } from './http/rate-limits'
import { startServices } from './start-services'

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
  provideServices(services)
  const close = await startServices()
  void close()
  expect(drain).toHaveBeenCalledTimes(1)
})

test.each([
  ['at once', {}, [1, 2, 3, 4, 5]],
  ['only later if other deployments keep their ledger here', { servesAsHostToken: 'token' }, [0, 0, 0, 0, 1]],
])('holds that have expired are ended %s', async (_when, setting, sweepCounts) => {
  jest.useFakeTimers()
  const sweep = jest.fn(async () => ({ releasedHoldIds: [], settledHoldIds: [] }))
  provideServices({
    settings: { sandbox: { gateway: false }, metricsToken: null, ...setting },
    ledger: { sweep },
    exchanges: { sweep: async () => {}, drain: async () => {} },
    payments: { reconcile: async () => ({ creditedNano: 0n }), watch: async () => ({ stop: () => {} }) },
    close: async () => {},
  })
  const close = await startServices()
  for (const sweepCount of sweepCounts) {
    expect(sweep).toHaveBeenCalledTimes(sweepCount)
    await jest.advanceTimersByTimeAsync(30_000)
  }
  await close()
  jest.useRealTimers()
})

test('on Vercel the middleware, which opens no services by itself, has rate limits all the same', async () => {
  const take = jest.fn(async () => {})
  provideServices({ rateLimits: { take } })
  Object.assign(process.env, { VERCEL: '1', DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' })
  jest.resetModules()
  const { startServices } = await import('./start-services')
  await startServices()
  const headers = new Headers()
  await processRateLimits().current?.take('sign_in', headers)
  expect(take.mock.calls).toEqual([['sign_in', headers]])
  delete process.env.VERCEL
  delete process.env.DATABASE_URL
})

test('on Vercel, a project that does not tell its functions so is refused: their work would be lost', async () => {
  const context = Symbol.for('@vercel/request-context')
  Object.assign(globalThis, { [context]: {} })
  const written = jest.spyOn(process.stderr, 'write').mockReturnValue(true)
  const exit = jest.spyOn(process, 'exit').mockImplementation(() => {
    throw new Error('exited')
  })
  await expect(startServices()).rejects.toThrow('exited')
  expect(String(written.mock.calls)).toContain('Automatically expose System Environment Variables')
  Reflect.deleteProperty(globalThis, context)
  written.mockRestore()
  exit.mockRestore()
})
