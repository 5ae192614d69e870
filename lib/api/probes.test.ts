import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, jest, test } from '@jest/globals'
import type { Services } from '@/lib/composition'
import { readServerSettings } from '@/lib/config/settings'
import { openTestDatabase } from '@/lib/db/testing'

const settings = {
  metricsToken: 'a token of metrics',
  paymentsHost: null,
  sandbox: { gateway: true },
  gateways: {},
}
const isMigrated = jest.fn<Services['isMigrated']>()
const isAnswering = jest.fn<() => Promise<boolean>>()
let open: () => Promise<unknown>
const { compose } = await import('@/lib/composition')
jest.unstable_mockModule('@/lib/composition', () => ({ services: () => open() }))
const { api } = await import('./application')
const { listenToLog } = await import('@/test/support/log-lines')

async function ask(path: string, headers = {}): Promise<Response> {
  const response = await api(new Request(`https://site.test/api/${path}`, { headers }))
  return new Response(await response.text(), response)
}
const readiness = async () => {
  const response = await ask('ready')
  return { status: response.status, ...(await response.json()).checks }
}
let log: ReturnType<typeof listenToLog>
beforeAll(() => {
  log = listenToLog()
})
afterAll(() => log.stop())
beforeEach(() => {
  isMigrated.mockReset().mockResolvedValue(true)
  isAnswering.mockReset().mockResolvedValue(true)
  // Another deployment each time: nothing of the last one is remembered.
  const services = { settings, isMigrated, catalogue: { isAnswering } }
  open = async () => services
})

test('a process without services is alive but not ready, and its log says why', async () => {
  open = () => Promise.reject(new Error('no database'))
  expect((await ask('health')).status).toBe(200)
  expect(await readiness()).toEqual({
    status: 503,
    database: 'failed',
    migrations: 'failed',
    upstream: 'failed',
    gateway: 'failed',
  })
  expect(log.lines()).toContainEqual(
    expect.objectContaining({ message: 'not ready: services', error: 'Error: no database' }),
  )
})

const ALL_WELL = { status: 200, database: 'ok', migrations: 'ok', upstream: 'ok', gateway: 'ok' }

test('a complete deployment is ready', async () => {
  expect(await readiness()).toEqual(ALL_WELL)
})

test.each<[string, () => void, object]>([
  ['the schema is behind', () => isMigrated.mockResolvedValue(false), { migrations: 'failed' }],
  ['no upstream answers', () => isAnswering.mockResolvedValue(false), { upstream: 'failed' }],
  [
    'the database hangs',
    () => isMigrated.mockReturnValue(new Promise(() => {})),
    { database: 'failed', migrations: 'failed' },
  ],
])('where %s, it is named', async (_what, happen, failed) => {
  happen()
  expect(await readiness()).toEqual({ ...ALL_WELL, status: 503, ...failed })
})

test('where the services and then the database take too long, the answer comes within two seconds', async () => {
  const services = await open()
  isMigrated.mockReturnValue(new Promise(() => {}))
  jest.useFakeTimers()
  try {
    open = () => new Promise(resolve => setTimeout(() => resolve(services), 1_500))
    const asked = readiness()
    await jest.advanceTimersByTimeAsync(2_000)
    jest.useRealTimers()
    const late = new Promise(resolve => setImmediate(resolve, 'too late'))
    expect(await Promise.race([asked, late])).toEqual({
      ...ALL_WELL,
      status: 503,
      database: 'failed',
      migrations: 'failed',
    })
  } finally {
    jest.useRealTimers()
  }
})

test('where the process was too busy to notice the deadline, the time left is none, not less', async () => {
  const services = await open()
  const { promise, resolve } = Promise.withResolvers<unknown>()
  open = () => promise
  let nowMs = performance.now()
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => nowMs)
  const timers = jest.spyOn(globalThis, 'setTimeout')
  try {
    const asked = readiness()
    nowMs += 2_090
    resolve(services)
    await asked
    const delaysMs = timers.mock.calls.map(([, delayMs]) => Number(delayMs))
    expect(delaysMs.length).toBeGreaterThan(1)
    // Node writes a warning about each, which the log shows as an error.
    expect(delaysMs.filter(delayMs => delayMs < 0)).toEqual([])
  } finally {
    timers.mockRestore()
    clock.mockRestore()
  }
})

test('the reason of a database failure is only in the log', async () => {
  isMigrated.mockRejectedValue(new Error('connect to postgres://me:hidden-word@db.example/site'))
  const response = await ask('ready')
  expect(await response.text()).not.toContain('db.example')
  expect(log.messages()).toContain('not ready: database')
  expect(log.text()).not.toContain('hidden-word')
})

test('a lost database makes it not ready', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'tuppence-ready-'))
  const database = await openTestDatabase()
  const environment = { DATABASE_URL: database.url, DATA_DIR: directory, SANDBOX: '1' }
  const deployment = await compose(readServerSettings(environment))
  open = async () => ({ ...deployment, catalogue: { isAnswering } })
  // However long a busy machine takes for it.
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'performance', 'Date'] })
  expect(await readiness()).toEqual(ALL_WELL)
  jest.useRealTimers()
  await database.close()
  open = async () => ({ ...deployment, catalogue: { isAnswering } })
  expect(await readiness()).toEqual({ ...ALL_WELL, status: 503, database: 'failed', migrations: 'failed' })
  await deployment.close()
  rmSync(directory, { recursive: true, force: true })
})

test('many parallel probes cause one database query', async () => {
  await Promise.all(Array.from({ length: 50 }, readiness))
  expect(isMigrated).toHaveBeenCalledTimes(1)
})

test('the metrics need the token, and are absent if none is set', async () => {
  const asked = (authorization: string) => ask('metrics', { authorization })
  expect((await ask('metrics')).status).toBe(401)
  expect((await asked('Bearer a token of metricz')).status).toBe(401)
  const found = await asked(`Bearer ${settings.metricsToken}`)
  expect(found.headers.get('content-type')).toContain('text/plain')
  expect(await found.text()).toMatch(
    /^tuppence_http_requests_total\{method="GET",route="\/api\/metrics",status="401"\} 2$/m,
  )
  const services = { settings: { ...settings, metricsToken: null } }
  open = async () => services
  expect((await asked(`Bearer ${settings.metricsToken}`)).status).toBe(404)
})
