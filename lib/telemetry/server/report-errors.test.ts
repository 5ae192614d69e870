import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { continueTrace, startSpan } from '@sentry/nextjs'
import { ApiError } from '@/lib/http/api-error'
import { handleApi } from '@/lib/http/handle-api'
import { type ErrorReportsServer, startErrorReportsServer } from '@/test/stand-ins/error-reports'
import { reportRequestError, startServerReports } from './report-errors'

let reports: ErrorReportsServer
/** What the platform was told of. */
const announced: Promise<unknown>[] = []
const realRandom = Math.random

beforeAll(async () => {
  reports = await startErrorReportsServer()
  Math.random = () => 0.05
  startServerReports(reports.dsn, work => void announced.push(work))
})
afterAll(async () => {
  Math.random = realRandom
  await reports.stop()
})
beforeEach(() => {
  reports.received.length = 0
  announced.length = 0
})

const RENDERED = {
  routerKind: 'App Router',
  routePath: '/[locale]/top-up',
  routeType: 'render',
  renderSource: 'react-server-components',
  revalidateReason: undefined,
} as const

const CREDIT_ID = '0b0e7c9e-5d3c-4a53-9d5c-2f1d5f3f6a01'

async function untilReported(): Promise<Record<string, unknown>> {
  for (;;) {
    const [event] = reports.items('event')
    if (event) return event
    await new Promise(resolve => setImmediate(resolve))
  }
}

function call(error: unknown) {
  return handleApi(async () => {
    throw error
  })(
    new Request(`http://tuppence.test/keys/${CREDIT_ID}?token=canary`, {
      headers: { authorization: `Bearer ${CREDIT_ID}`, referer: 'http://tuppence.test/de/account?canary' },
    }),
  )
}

test('an API answer with 500 or above is reported by its shape', async () => {
  const response = await call(new Error(`payment by ${CREDIT_ID} failed`))
  expect(response.status).toBe(500)
  expect(await untilReported()).toMatchObject({
    platform: 'node',
    level: 'error',
    tags: { flow: 'account', endpoint: '/keys/{id}', status: '500' },
  })
  expect(reports.received[0]?.text).not.toMatch(/canary|5d3c-4a53/)
})

test('a process that is frozen once it has answered is kept until a report has been sent', async () => {
  await call(new Error('payment: the API'))
  await Promise.all(announced)
  await reportRequestError(new Error('payment: a page'), { path: '/', method: 'GET', headers: {} }, RENDERED)
  await Promise.all(announced)
  expect(reports.items('event')).toHaveLength(2)
})

test('a caller’s mistake is not reported', async () => {
  await call(new ApiError('invalid_request', 'payment: no such field'))
  await call(new ApiError('upstream_error', 'payment: the last one'))
  expect(JSON.stringify(await untilReported())).toContain('the last one')
  expect(reports.items('event')).toHaveLength(1)
})

test('a made-up header of Next’s own client is not reported', async () => {
  for (const message of [
    'The router state header was sent but could not be parsed.',
    'The router state header was too large.',
    'payment: the last one',
  ]) {
    await reportRequestError(new Error(message), { path: '/', method: 'GET', headers: {} }, RENDERED)
  }
  expect(JSON.stringify(await untilReported())).toContain('the last one')
  expect(reports.items('event')).toHaveLength(1)
})

test('a page that could not be rendered is reported with the flow of its path', async () => {
  await reportRequestError(
    new Error('internal server error'),
    { path: `/fr/top-up?credit=${CREDIT_ID}`, method: 'GET', headers: { cookie: 'canary' } },
    RENDERED,
  )
  expect(await untilReported()).toMatchObject({
    level: 'error',
    tags: { flow: 'payment', endpoint: '/fr/top-up', status: '500' },
  })
  expect(reports.received[0]?.text).not.toMatch(/canary|5d3c-4a53/)
})

/** The attribute by which Next tells what a span is of. */
const spanOf = (type: string) => ({ attributes: { 'next.span_type': type } })

/** Resolves once a request has been traced and a profile sent. */
async function untilProfiled(): Promise<void> {
  while (reports.items('profile_chunk').length === 0 || reports.items('transaction').length === 0)
    await new Promise(resolve => setImmediate(resolve))
}

test('a traced request is profiled, for as long as it runs', async () => {
  startSpan({ name: 'GET /pricing', op: 'http.server', ...spanOf('BaseServer.handleRequest') }, () => {
    const end = performance.now() + 50
    while (performance.now() < end) JSON.parse('{}')
  })
  await untilProfiled()
  const [chunk] = reports.items('profile_chunk')
  const [transaction] = reports.items('transaction')
  expect(chunk).toMatchObject({ platform: 'node', version: '2', profiler_id: expect.any(String) })
  expect(transaction?.contexts).toMatchObject({ profile: { profiler_id: chunk?.profiler_id } })
  const { samples, stacks, frames } = Object(chunk?.profile)
  const [{ stack_id: stackId, timestamp }] = samples
  expect(stacks[stackId].map((frame: number) => frames[frame].function).at(-1)).toBe('(root)')
  const ended = Number(transaction?.timestamp)
  expect(timestamp).toBeGreaterThan(ended - 60)
  expect(timestamp).toBeLessThan(ended + 60)
})

test('how Next loads its own modules is not profiled', async () => {
  startSpan({ name: 'load', ...spanOf('LoadComponents.loadComponents') }, () => undefined)
  startSpan({ name: 'GET /last', op: 'http.server', ...spanOf('BaseServer.handleRequest') }, () => undefined)
  await untilProfiled()
  expect(reports.items('profile_chunk')).toHaveLength(1)
})

test('a request does not decide whether it is traced', async () => {
  const asked = (baggage: string) => {
    const sentryTrace = '0123456789abcdef0123456789abcdef-0123456789abcdef-1'
    continueTrace({ sentryTrace, baggage }, () =>
      startSpan({ name: 'GET /asked', op: 'http.server' }, () => undefined),
    )
  }
  Math.random = () => 0.5
  asked('sentry-sample_rand=0,sentry-sample_rate=1')
  asked('sentry-sample_rand=0,sentry-org_id=1')
  Math.random = () => 0.05
  startSpan({ name: 'GET /last', op: 'http.server' }, () => undefined)
  while (reports.items('transaction').length === 0) await new Promise(resolve => setImmediate(resolve))
  expect(reports.items('transaction').map(({ transaction }) => transaction)).toEqual(['GET /last'])
})
