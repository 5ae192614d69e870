import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { startAuthServer } from '@/test/stand-ins/auth-server'
import { listenToLog } from '@/test/support/log-lines'
import { checkSigningKeys } from './setup-problems'

let log: ReturnType<typeof listenToLog>
beforeEach(() => {
  log = listenToLog()
})
afterEach(() => log.stop())

test.each([
  ['HS256', [expect.stringMatching(/^Sign-in: 127\.0\.0\.1:\d+ signs sessions by a shared secret .*ES256/)]],
  ['ES256', []],
  ['RS256', []],
] as const)(
  'at the start the operator of a service that signs by %s is told what to change',
  async (algorithm, lines) => {
    const service = await startAuthServer({ algorithm })
    await checkSigningKeys({ url: service.url, publicKey: 'key' })
    await service.stop()
    expect(log.messages()).toEqual(lines)
  },
)

test.each([500, 404, 'cut'] as const)('a service that answers %p says nothing of its keys', async status => {
  const service = await startAuthServer({ algorithm: 'HS256' })
  service.server.faults.push({ path: '/.well-known/jwks.json', status, count: 1 })
  await checkSigningKeys({ url: service.url, publicKey: 'key' })
  await service.stop()
  expect(log.messages()).toEqual([])
})
