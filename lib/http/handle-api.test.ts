import { expect, test } from '@jest/globals'
import { LedgerError } from '@/lib/ledger/domain/ledger-error'
import { GatewayError } from '@/lib/payments/domain/gateway'
import { listenToLog } from '@/test/support/log-lines'
import { ApiError } from './api-error'
import { handleApi } from './handle-api'

const request = new Request('https://site.test/')
const answerTo = async (error: Error) => {
  const response = await handleApi(() => Promise.reject(error))(request)
  return { status: response.status, retryAfter: response.headers.get('retry-after') }
}

test.each([
  ['the ledger is unavailable', new LedgerError('unavailable', 'away')],
  ['the database restarts', Object.assign(new Error('shutting down'), { code: '57P03' })],
  ['a database connection is lost', new Error('Connection terminated unexpectedly')],
  ['no database connection is free', new Error('timeout exceeded when trying to connect')],
])('when %s, the answer is a 503 with Retry-After', async (_what, error) => {
  expect(await answerTo(error)).toEqual({ status: 503, retryAfter: '2' })
})

test('an unexpected error is a 500 without its cause', async () => {
  expect(await answerTo(new Error('secret'))).toEqual({ status: 500, retryAfter: null })
})

test.each([
  ['false', new ApiError('invalid_credential', 'Unknown.')],
  ['false', new ApiError('idempotency_conflict', 'Another body.')],
  [null, new ApiError('conflict', 'Still running.', { headers: { 'retry-after': '1' } })],
  [null, new ApiError('upstream_error', 'Away.')],
])('the header x-should-retry for clients with automatic retries is %s: %s', async (expected, error) => {
  const response = await handleApi(() => Promise.reject(error))(request)
  expect(response.headers.get('x-should-retry')).toBe(expected)
})

test('the operator is told of an unexpected error that an exchange has already put into words', async () => {
  const log = listenToLog()
  const cause = new TypeError('count is not a function')
  await handleApi(() => Promise.reject(new ApiError('internal_error', 'Something went wrong.', { cause })))(
    request,
  )
  await handleApi(() => Promise.reject(new ApiError('internal_error', 'The server is restarting.')))(request)
  expect(log.lines().filter(({ message }) => message === 'internal error')).toEqual([
    expect.objectContaining({ error: `TypeError: ${cause.message}` }),
  ])
  log.stop()
})

test('the operator is told what a gateway answered, such as that its key is wrong, and the caller is not', async () => {
  const log = listenToLog()
  const error = new GatewayError('BTCPay Server answered unexpectedly (status 401).')
  const response = await handleApi(() => Promise.reject(error))(request)
  expect(response.status).toBe(502)
  expect(await response.text()).not.toContain('401')
  expect(log.lines()).toContainEqual(
    expect.objectContaining({ message: 'payment gateway failed', error: `GatewayError: ${error.message}` }),
  )
  log.stop()
})
