import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { type OpenResponse, openResponse } from '@/test/support/open-response'
import { standStill } from '@/test/support/stand-still'
import { readUpstreamBody } from './read-body'

let open: OpenResponse
beforeEach(async () => {
  open = await openResponse()
})
afterEach(async () => await open.close())

const read = (signal = new AbortController().signal) =>
  readUpstreamBody(open.response, { bytesMax: 1_000_000, timeoutMs: 100, signal })

test('an answer whose end came while this process stood still has ended in time', async () => {
  const body = read()
  open.upstream.end('x'.repeat(200_000))
  standStill(200)
  expect(await body).toHaveLength(200_000)
})

test('an answer that goes on and on is too slow', async () => {
  const body = read()
  const more = setInterval(() => open.upstream.write('x'), 5)
  await expect(body).rejects.toMatchObject({ kind: 'timeout', mayBillAll: true })
  clearInterval(more)
})

test('an answer that is no longer wanted when its headers come is not waited for', async () => {
  const reason = new Error('nobody waits')
  await expect(read(AbortSignal.abort(reason))).rejects.toBe(reason)
  expect(open.response.destroyed).toBe(true)
})
