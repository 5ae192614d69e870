import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { startAuthServer } from '@/test/stand-ins/auth-server'
import { listenToLog } from '@/test/support/log-lines'
import { checkPublicKey, checkSigningKeys } from './setup-problems'

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
  'the check at the start advises the operator about an auth service that signs by %s',
  async (algorithm, lines) => {
    const service = await startAuthServer({ algorithm })
    await checkSigningKeys({ url: service.url, publicKey: 'key' })
    await service.stop()
    expect(log.messages()).toEqual(lines)
  },
)

test.each([500, 404, 'cut'] as const)('an auth service that answers %p leads to no advice', async status => {
  const service = await startAuthServer({ algorithm: 'HS256' })
  service.server.faults.push({ path: '/.well-known/jwks.json', status, count: 1 })
  await checkSigningKeys({ url: service.url, publicKey: 'key' })
  await service.stop()
  expect(log.messages()).toEqual([])
})

test.each([
  [
    401,
    [expect.stringMatching(/^Sign-in: .* refuses the public key, so nobody can sign in\. Set NEXT_PUBLIC_/)],
  ],
  [500, []],
  ['cut', []],
] as const)(
  'the check at the start advises about a public key that is answered with %p',
  async (status, lines) => {
    const service = await startAuthServer()
    service.server.faults.push({ path: '/settings', status, count: 1 })
    const settings = { url: service.url, publicKey: 'key-of-another-project' }
    await checkPublicKey(settings)
    // The fault is over.
    await checkPublicKey(settings)
    await service.stop()
    expect(log.messages()).toEqual(lines)
  },
)
